package dev.headgate.server.limits;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.convert.converter.Converter;
import org.springframework.format.FormatterRegistry;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** The rules for the parameters and the bodies of every API operation. */
@Configuration(proxyBeanMethods = false)
class RequestLimits implements WebMvcConfigurer {

    private static final Instant FIRST = Instant.parse("1970-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(new DeclaredParameters()).addPathPatterns("/api/**", "/sql", "/v3/**");
    }

    /**
     * Only policy files are YAML, and they are read by their own reader. A library that is here for something else brings a reader and
     * a writer of YAML along, which Spring would use for every body and answer: without a rule of {@link StrictJson}, and without a
     * bound on the values.
     */
    @Override
    public void configureMessageConverters(HttpMessageConverters.ServerBuilder converters) {
        converters.configureMessageConvertersList(
                all -> all.removeIf(each -> each.getSupportedMediaTypes().contains(MediaType.APPLICATION_YAML)));
    }

    @Override
    public void addFormatters(FormatterRegistry registry) {
        // Not a method reference: Spring reads the types off the class.
        registry.addConverter(new Converter<String, Instant>() {
            @Override
            public Instant convert(String text) {
                return instant(text);
            }
        });
    }

    /** A time that everything behind the API can hold, the store's timestamps among them. */
    private static Instant instant(String text) {
        Instant time;
        try {
            time = Instant.parse(text.strip());
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException("not a time", e);
        }
        if (time.isBefore(FIRST) || time.isAfter(LAST)) {
            throw new IllegalArgumentException("out of range");
        }
        return time;
    }
}

package dev.headgate.server.dashboard;

import dev.headgate.server.HeadgateProperties;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.util.DigestUtils;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.resource.HttpResource;
import org.springframework.web.servlet.resource.PathResourceResolver;
import org.springframework.web.servlet.resource.ResourceHttpRequestHandler;

/**
 * The dashboard's files: those of the configured folder, else those of the jar. Files under {@code /assets} carry a hash of
 * their content in their names and may be kept for ever; all else is asked for again. The build leaves Brotli and gzip files
 * beside them, and a browser gets the one that it accepts. Only these files are compressed: answers of the API repeat what
 * callers send beside what others must not guess (docs/security.md).
 */
@Configuration(proxyBeanMethods = false)
class DashboardConfiguration implements WebMvcConfigurer {

    private static final String START_PAGE = "index.html";

    /** Paths of the service itself and names of files, which never get the start page. */
    private static final Pattern NOT_A_PAGE = Pattern.compile("(api|v3|actuator|assets)(/.*)?|.*\\.[A-Za-z0-9]+");

    private final String[] locations;

    DashboardConfiguration(HeadgateProperties properties) {
        this.locations = new String[] {
            properties.frontend().toAbsolutePath().normalize().toUri().toString() + "/", "classpath:/static/"
        };
    }

    @Override
    public void addResourceHandlers(ResourceHandlerRegistry registry) {
        registry.addResourceHandler("/assets/**")
                .addResourceLocations(locations[0] + "assets/", locations[1] + "assets/")
                .setCacheControl(CacheControl.maxAge(Duration.ofDays(365)).immutable())
                .setEtagGenerator(file -> etag(file, String.valueOf(file.getFilename())))
                .resourceChain(false)
                .addResolver(new SmallestEncoding())
                .addResolver(new PathResourceResolver());
        registry.addResourceHandler("/**")
                .addResourceLocations(locations)
                .setCacheControl(CacheControl.noCache())
                .setEtagGenerator(file -> etag(file, digest(file)))
                .resourceChain(false)
                .addResolver(new SmallestEncoding())
                .addResolver(new PathResourceResolver() {
                    @Override
                    protected @Nullable Resource getResource(String path, Resource location) throws IOException {
                        @Nullable Resource file = super.getResource(path, location);
                        return file != null || NOT_A_PAGE.matcher(path).matches()
                                ? file
                                : super.getResource(START_PAGE, location);
                    }
                });
    }

    /** Caches between here and the browser keep one answer for each encoding, and know so from the plain one too. */
    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(new HandlerInterceptor() {
            @Override
            public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
                if (handler instanceof ResourceHttpRequestHandler) {
                    response.setHeader(HttpHeaders.VARY, HttpHeaders.ACCEPT_ENCODING);
                }
                return true;
            }
        });
    }

    /** Differs between contents and between encodings of one content. */
    private static String etag(Resource file, String content) {
        @Nullable
        String coding = file instanceof HttpResource encoded
                ? encoded.getResponseHeaders().getFirst(HttpHeaders.CONTENT_ENCODING)
                : null;
        return coding == null ? content : content + "." + coding;
    }

    /** Of a small file: it is read for each request. */
    private static String digest(Resource file) {
        try (InputStream content = file.getInputStream()) {
            return DigestUtils.md5DigestAsHex(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void addViewControllers(ViewControllerRegistry registry) {
        registry.addViewController("/").setViewName("forward:/" + START_PAGE);
    }
}

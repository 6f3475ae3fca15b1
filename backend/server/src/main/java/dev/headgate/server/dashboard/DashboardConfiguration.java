package dev.headgate.server.dashboard;

import dev.headgate.server.HeadgateProperties;
import java.io.IOException;
import java.time.Duration;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.web.servlet.config.annotation.ResourceHandlerRegistry;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.resource.PathResourceResolver;

/**
 * The dashboard's files: those of the configured folder, else those of the jar. Files under {@code /assets} carry a hash of
 * their content in their names and may be kept for ever; all else is asked for again.
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
                .setCacheControl(CacheControl.maxAge(Duration.ofDays(365)).immutable());
        registry.addResourceHandler("/**")
                .addResourceLocations(locations)
                .setCacheControl(CacheControl.noCache())
                .resourceChain(false)
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

    @Override
    public void addViewControllers(ViewControllerRegistry registry) {
        registry.addViewController("/").setViewName("forward:/" + START_PAGE);
    }
}

package dev.wheelhouse.spring;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.io.ClassPathResource;

/**
 * The defaults of a {@link StandaloneService}, from {@code service.yaml}. They have the lowest precedence, so that
 * an {@code application.yaml} beside the jar overrides single ones. The log has colours on a terminal, unless the
 * environment has {@code NO_COLOR}. Other applications do not see these defaults.
 */
final class ServiceDefaults implements EnvironmentPostProcessor {
    private static final String SOURCE = "defaults of the standalone service";

    @Override
    public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
        if (application.getAllSources().stream().anyMatch(ServiceDefaults::isService)) {
            try {
                new YamlPropertySourceLoader()
                        .load(SOURCE, new ClassPathResource("service.yaml", ServiceDefaults.class))
                        .forEach(environment.getPropertySources()::addLast);
                if (!environment.getProperty("NO_COLOR", "").isEmpty()) {
                    environment.getPropertySources()
                            .addLast(new MapPropertySource("NO_COLOR", Map.of("spring.output.ansi.enabled", "never")));
                }
                if ("none".equalsIgnoreCase(environment.getProperty("wheelhouse.mode"))) {
                    // The console shows what the API server has.
                    environment.getPropertySources().addFirst(
                            new MapPropertySource("no API server", Map.of("wheelhouse.console.enabled", "false")));
                }
            } catch (IOException e) {
                throw new UncheckedIOException("the defaults of the service are not in the jar", e);
            }
        }
    }

    private static boolean isService(Object source) {
        return source instanceof Class<?> type && type.isAnnotationPresent(StandaloneService.class);
    }

    /** Whether the application is a {@link StandaloneService}. */
    static boolean areIn(Environment environment) {
        return environment instanceof ConfigurableEnvironment configurable
                && configurable.getPropertySources().contains(SOURCE);
    }
}

package dev.wheelhouse.spring;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.boot.web.server.WebServerException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

import dev.wheelhouse.apiserver.MissingLibraryException;
import dev.wheelhouse.apiserver.auth.AuthConfigException;
import dev.wheelhouse.apiserver.store.StorageException;
import dev.wheelhouse.client.http.KubeConfigException;
import dev.wheelhouse.runtime.DidYouMean;

/**
 * Turns each failure of a start that a user can repair into one sentence. In an application that is no
 * {@link StandaloneService} it knows only the failures of Wheelhouse.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class StartupFailures implements FailureAnalyzer {
    private static final ConfigurationPropertyName OPTIONS = ConfigurationPropertyName.of("wheelhouse");

    private final boolean service;

    /** @param environment null if the start failed before there was one */
    StartupFailures(@Nullable Environment environment) {
        this.service = environment != null && ServiceDefaults.areIn(environment);
    }

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        String sentence = null;
        for (Throwable t = failure; t != null && t.getCause() != t; t = t.getCause()) {
            String better = sentence(t);
            if (better != null) {
                sentence = better;
            }
        }
        return sentence == null ? null : new FailureAnalysis(sentence, "", failure);
    }

    private @Nullable String sentence(Throwable t) {
        return switch (t) {
            case BadOption e -> e.getMessage();
            case KubeConfigException e -> e.getMessage();
            case MissingLibraryException e -> e.getMessage();
            case dev.wheelhouse.apiserver.PortInUseException e when service -> taken(e.port(), "the API server",
                    PortHolder.of(e.address(), e.port()), "--wheelhouse.apiserver.port");
            case dev.wheelhouse.apiserver.PortInUseException e -> e.getMessage();
            case StorageException e -> e.getMessage();
            case AuthConfigException e -> e.getMessage();
            case PortInUseException e when service -> taken(e.getPort(), "health and metrics",
                    PortHolder.of("127.0.0.1", e.getPort()), "--server.port");
            case RuntimeException e when service && (e instanceof WebServerException
                    || "Unable to start web server".equals(e.getMessage())) ->
                web(e);
            case InvalidConfigurationPropertyValueException e when service -> e.getName() + " is \"" + e.getValue()
                    + "\": " + String.valueOf(e.getReason()).replaceAll(".*\\.Integer$", "it must be a whole number");
            case BindException e -> bind(e);
            default -> null;
        };
    }

    /** The web server says why in the deepest cause that has a sentence. */
    private static String web(Exception e) {
        String why = "";
        for (Throwable t = e; t != null; t = t.getCause()) {
            why = String.valueOf(t.getMessage()).contains(" ") ? String.valueOf(t.getMessage()) : why;
        }
        return "health, metrics and the console cannot be served: " + why + "; correct the options server.*";
    }

    private static String taken(int port, String use, String holder, String option) {
        return "port " + port + " (" + use + ") is taken by " + holder + ": end that one, or choose another port with "
                + option + "=PORT, or 0 for any";
    }

    private boolean isOurs(ConfigurationPropertyName name) {
        return service || OPTIONS.isAncestorOf(name);
    }

    private @Nullable String bind(BindException e) {
        ConfigurationProperty property = e.getProperty();
        if (property == null || !isOurs(property.getName())) {
            return null;
        }
        String name = property.getName().toString();
        Class<?> type = e.getTarget().getType().resolve(Object.class);
        return name + " is \"" + property.getValue() + "\": " + wanted(type, String.valueOf(property.getValue()));
    }

    private static String wanted(Class<?> type, String given) {
        if (type.isEnum()) {
            List<String> values = Arrays.stream(type.getEnumConstants())
                    .map(c -> c.toString().toLowerCase(Locale.ROOT).replace('_', '-')).toList();
            return DidYouMean.ask(given, values) + "it must be one of " + String.join(", ", values);
        }
        return "it must be " + switch (type.getSimpleName()) {
            case "int", "Integer" -> "a whole number";
            case "double", "Double" -> "a number";
            case "boolean", "Boolean" -> "true or false";
            case "Duration" -> "a time, such as 500ms, 15s or 5m";
            case "DataSize" -> "a size, such as 64KB or 3MB";
            default -> "a " + type.getSimpleName().toLowerCase(Locale.ROOT);
        };
    }
}

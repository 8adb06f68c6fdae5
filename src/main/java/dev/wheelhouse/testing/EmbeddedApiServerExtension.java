package dev.wheelhouse.testing;

import java.lang.reflect.Parameter;
import java.nio.file.Path;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

import io.kubernetes.client.openapi.ApiClient;

import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.testing.EmbeddedApiServer.Lifetime;

/**
 * Starts and ends the servers of {@link EmbeddedApiServer}, and passes them to tests. A nested class shares the server
 * of its enclosing class. Faults that a test injects end with that test.
 */
final class EmbeddedApiServerExtension
        implements
            BeforeAllCallback,
            AfterAllCallback,
            BeforeEachCallback,
            AfterEachCallback,
            ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(EmbeddedApiServerExtension.class);
    private static final String SERVER = "server";

    @Override
    public void beforeAll(ExtensionContext context) {
        if (annotation(context).lifetime() == Lifetime.CLASS && find(context) == null) {
            start(context);
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        if (find(context) == null) {
            start(context);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestServer server = find(context);
        if (server != null) {
            server.faults().clear();
        }
        end(context);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        end(context);
    }

    private static @Nullable TestServer find(ExtensionContext context) {
        Started started = context.getStore(NAMESPACE).get(SERVER, Started.class);
        return started == null ? null : started.server;
    }

    private static void start(ExtensionContext context) {
        EmbeddedApiServer wanted = annotation(context);
        TestServer server = TestServer.start(ApiServerOptions.defaults(), wanted.controllers(), wanted.nodes());
        context.getStore(NAMESPACE).put(SERVER, new Started(server, context.getUniqueId()));
    }

    private record Started(TestServer server, String owner) {}

    /** Ends the server if this context started it. */
    private static void end(ExtensionContext context) {
        Started started = context.getStore(NAMESPACE).get(SERVER, Started.class);
        if (started != null && started.owner.equals(context.getUniqueId())) {
            context.getStore(NAMESPACE).remove(SERVER);
            started.server.close();
        }
    }

    private static EmbeddedApiServer annotation(ExtensionContext context) {
        Optional<EmbeddedApiServer> found = AnnotationSupport.findAnnotation(context.getRequiredTestClass(),
                EmbeddedApiServer.class, context.getEnclosingTestClasses());
        return found.orElseThrow(() -> new IllegalStateException(
                context.getRequiredTestClass().getName() + " has no @EmbeddedApiServer"));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == TestServer.class || type == KubeClient.class || type == ApiClient.class || type == Faults.class
                || (type == Path.class && parameter.isAnnotated(Kubeconfig.class));
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        TestServer server = find(context);
        if (server == null) {
            throw new ParameterResolutionException("there is no API server yet for " + describe(parameter)
                    + ": with lifetime METHOD only test methods, @BeforeEach and @AfterEach may use it");
        }
        Class<?> type = parameter.getParameter().getType();
        if (type == TestServer.class) {
            return server;
        }
        if (type == KubeClient.class) {
            return server.client();
        }
        if (type == ApiClient.class) {
            return server.apiClient();
        }
        return type == Faults.class ? server.faults() : server.kubeconfig();
    }

    private static String describe(ParameterContext parameter) {
        Parameter declared = parameter.getParameter();
        return declared.getType().getSimpleName() + " of " + parameter.getDeclaringExecutable().getName();
    }
}

package dev.wheelhouse.testing;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;

import io.kubernetes.client.openapi.ApiClient;

import dev.wheelhouse.apiserver.Faults;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.operator.Operator;
import dev.wheelhouse.testing.EmbeddedApiServer.Lifetime;
import dev.wheelhouse.testing.EmbeddedApiServer.TestClock;

/**
 * Starts and ends the servers of {@link EmbeddedApiServer}, and passes them to tests. A nested class shares the server
 * of its enclosing class. Faults that a test injects end with that test.
 */
final class EmbeddedApiServerExtension
        implements
            BeforeAllCallback,
            TestInstancePreConstructCallback,
            AfterAllCallback,
            BeforeEachCallback,
            AfterEachCallback,
            ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(EmbeddedApiServerExtension.class);
    private static final String SERVER = "server";
    /** By the class of a field or parameter, what it gets. */
    private static final Map<Class<?>, Function<TestServer, Object>> VALUES = Map.of(TestServer.class, server -> server,
            User.class, TestServer::user, KubeClient.class, TestServer::client, ApiClient.class, TestServer::apiClient,
            Faults.class, TestServer::faults, Path.class, TestServer::kubeconfig);

    @Override
    public void beforeAll(ExtensionContext context) {
        if (annotation(context).lifetime() == Lifetime.CLASS) {
            startForClass(context);
        }
    }

    /**
     * With one test instance per class, the instance is made, and Spring's context started, before {@link #beforeAll}.
     */
    @Override
    public void preConstructTestInstance(TestInstanceFactoryContext factory, ExtensionContext context) {
        if (context.getTestMethod().isEmpty()) {
            beforeAll(context);
        }
    }

    private static void startForClass(ExtensionContext context) {
        TestServer server = find(context);
        if (server == null) {
            server = start(context);
        }
        inject(server, context.getRequiredTestClass(), null);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        TestServer server = find(context);
        if (server == null) {
            server = start(context);
            inject(server, context.getRequiredTestClass(), null);
        }
        for (Object instance : context.getRequiredTestInstances().getAllInstances()) {
            inject(server, instance.getClass(), instance);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestServer server = find(context);
        if (server != null && !server.isCluster()) {
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

    private static TestServer start(ExtensionContext context) {
        EmbeddedApiServer wanted = annotation(context);
        TestServer.Builder builder = TestServer.builder().crds(wanted.crds()).manifests(wanted.manifests())
                .controllers(wanted.controllers()).nodes(wanted.nodes());
        for (Class<? extends Operator<?>> operator : wanted.operators()) {
            builder.operators(make(operator));
        }
        TestServer server = (wanted.clock() == TestClock.MANUAL ? builder.manualClock() : builder).start();
        context.getStore(NAMESPACE).put(SERVER, new Started(server, context.getUniqueId()));
        return server;
    }

    static Operator<?> make(Class<? extends Operator<?>> type) {
        if (Arrays.stream(type.getDeclaredConstructors()).noneMatch(made -> made.getParameterCount() == 0)) {
            throw new ExtensionConfigurationException("the operator " + type.getName() + " has no constructor without"
                    + " parameters: start the server by TestServer.builder().operators(new " + type.getSimpleName()
                    + "(…)).start()");
        }
        return ReflectionSupport.newInstance(type);
    }

    /**
     * A started server. JUnit closes it with its store, also if {@link #end} is never called because a constructor
     * failed.
     */
    private record Started(TestServer server, String owner) implements AutoCloseable {
        @Override
        public void close() {
            server.close();
        }
    }

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

    /** @param instance null for the static fields */
    private static void inject(TestServer server, Class<?> type, @Nullable Object instance) {
        Predicate<Field> wanted = field -> Modifier.isStatic(field.getModifiers()) == (instance == null)
                && !Modifier.isFinal(field.getModifiers()) && isKnown(field.getType(), field);
        for (Field field : ReflectionSupport.findFields(type, wanted, HierarchyTraversalMode.TOP_DOWN)) {
            try {
                field.setAccessible(true);
                field.set(instance, value(server, field.getType()));
            } catch (IllegalAccessException | RuntimeException e) {
                throw new ExtensionConfigurationException("could not set the field " + field, e);
            }
        }
    }

    private static boolean isKnown(Class<?> type, AnnotatedElement element) {
        return VALUES.containsKey(type) && (type != Path.class || element.isAnnotationPresent(Kubeconfig.class));
    }

    private static Object value(TestServer server, Class<?> type) {
        return Objects.requireNonNull(VALUES.get(type)).apply(server);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return isKnown(parameter.getParameter().getType(), parameter.getParameter());
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        TestServer server = find(context);
        if (server == null) {
            throw new ParameterResolutionException("there is no API server yet for " + describe(parameter)
                    + ": with lifetime METHOD only test methods, @BeforeEach and @AfterEach may use it");
        }
        return value(server, parameter.getParameter().getType());
    }

    private static String describe(ParameterContext parameter) {
        Parameter declared = parameter.getParameter();
        return declared.getType().getSimpleName() + " of " + parameter.getDeclaringExecutable().getName();
    }
}

package dev.wheelhouse;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ConfigurableApplicationContext;

import io.kubernetes.client.openapi.ApiClient;

import dev.wheelhouse.embedded.HollowCluster;
import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.testing.Eventually;

/** The service in this process, on free ports, with its kubeconfig in a directory of the test's. */
public final class RunningService implements AutoCloseable {
    private final ConfigurableApplicationContext context;
    private final Path kubeconfig;

    private RunningService(ConfigurableApplicationContext context, Path kubeconfig) {
        this.context = context;
        this.kubeconfig = kubeconfig;
    }

    /** Starts it, and waits until the controllers run and the nodes are ready. */
    public static RunningService start(Path directory, String... options) {
        Path kubeconfig = directory.resolve("wheelhouse.kubeconfig");
        List<String> args = new ArrayList<>(List.of("--server.port=0", "--wheelhouse.apiserver.port=0",
                "--wheelhouse.apiserver.kubeconfig=" + kubeconfig));
        args.addAll(List.of(options));
        var application = new SpringApplicationBuilder(WheelhouseApplication.class);
        RunningService service = new RunningService(run(application, args.toArray(String[]::new)), kubeconfig);
        try {
            Eventually.eventually("controllers run and nodes are ready", Duration.ofMinutes(4),
                    () -> service.context.getBean(ControllerManager.class).isRunning()
                            && service.context.getBean(HollowCluster.class).isReady());
            return service;
        } catch (AssertionError e) {
            service.close();
            throw e;
        }
    }

    /**
     * Starts an application, one at a time: each start resets the logging of the whole process, and two at once break
     * its list of listeners for every start that follows.
     */
    public static synchronized ConfigurableApplicationContext run(SpringApplicationBuilder application,
            String... args) {
        return application.run(args);
    }

    public Path kubeconfig() {
        return kubeconfig;
    }

    /** The official client, connected to the same API server. */
    public ApiClient api() {
        return context.getBean(ApiClient.class);
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Calls an action for each event of a type that the context publishes from now on. */
    public <E extends ApplicationEvent> void onEvent(Class<E> type, Consumer<E> action) {
        context.addApplicationListener(event -> {
            if (type.isInstance(event)) {
                action.accept(type.cast(event));
            }
        });
    }

    public boolean isActive() {
        return context.isActive();
    }

    /** The port of the console, of health and of metrics. */
    public int port() {
        return context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    /** Where health and metrics are. */
    public String actuator() {
        return "http://127.0.0.1:" + port() + "/actuator";
    }

    @Override
    public void close() {
        context.close();
    }
}

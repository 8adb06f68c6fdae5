import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.WheelhouseApplication;
import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.Deletion;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ListOptions;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.runtime.Clock;

/**
 * The training run of the ahead-of-time cache (JEP 483, 515). The service rolls out workloads on its embedded API
 * server, and then, over TLS and HTTP/2, on the API server of another service in this process. The build and the image
 * record the cache by {@code java -XX:AOTCacheOutput=FILE -Dcatalina.home=DIRECTORY -cp JAR
 * org.apache.catalina.startup.Tool Rehearsal} in an empty directory, with the JVM options of
 * {@code src/build/jvm.options} and {@code src/build/training.options}. {@code DIRECTORY/classes} has the class files.
 */
public final class Rehearsal {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final String NAMESPACE = "default";
    /** The objects of each kind. */
    private static final int EACH = 8;
    private static final String POD = """
            {"metadata":{"labels":{"app":"NAME"}},"spec":{"containers":[{"name":"app","image":"app:1"}]}}""";
    private static final String TASK = """
            {"spec":{"restartPolicy":"Never","containers":[{"name":"app","image":"app:1","command":["true"]}]}}""";
    private static final String SELECTED = """
            "selector":{"matchLabels":{"app":"NAME"}},"template":""" + POD;
    private static final List<Workload> WORKLOADS = List.of(
            new Workload(ResourceType.DEPLOYMENTS, "\"replicas\":4," + SELECTED, "updatedReplicas", 4),
            new Workload(ResourceType.STATEFUL_SETS, "\"replicas\":2,\"serviceName\":\"\"," + SELECTED,
                    "updatedReplicas", 2),
            new Workload(ResourceType.DAEMON_SETS, SELECTED, "updatedNumberScheduled", 2),
            new Workload(ResourceType.JOBS, "\"completions\":4,\"parallelism\":4,\"template\":" + TASK, "succeeded", 4),
            new Workload(new ResourceType("batch", "v1", "cronjobs", "CronJob", true),
                    "\"schedule\":\"* * * * *\",\"jobTemplate\":{\"spec\":{\"template\":" + TASK + "}}", "", 0));

    private Rehearsal() {}

    public static void main(String[] args) throws Exception {
        // The cache keeps only the classes that the loader of the class path defines.
        Thread.currentThread().setContextClassLoader(WheelhouseApplication.class.getClassLoader());
        try (ConfigurableApplicationContext service = start("--wheelhouse.mode=embedded")) {
            rollOut(service.getBean(KubeClient.class));
        }
        try (ConfigurableApplicationContext server = start("--wheelhouse.mode=embedded", "--wheelhouse.controllers=");
                Http2Relay relay = new Http2Relay(server.getBean(ApiClient.class).getBasePath());
                ConfigurableApplicationContext service = start(
                        "--wheelhouse.kubeconfig=" + relay.writeKubeconfig(Path.of("")))) {
            rollOut(service.getBean(KubeClient.class));
        }
    }

    private static ConfigurableApplicationContext start(String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("--server.port=0", "--wheelhouse.apiserver.port=0"));
        return new SpringApplication(WheelhouseApplication.class).run(all.toArray(String[]::new));
    }

    /** Creates workloads, waits for their pods, changes the pods, waits again, and deletes everything. */
    private static void rollOut(KubeClient client) {
        WORKLOADS.forEach(workload -> workload.create(client));
        WORKLOADS.forEach(workload -> workload.await(client));
        WORKLOADS.forEach(workload -> workload.change(client));
        WORKLOADS.forEach(workload -> workload.await(client));
        WORKLOADS.forEach(workload -> workload.delete(client));
        ResourceClient<V1Pod> pods = client.resource(ResourceType.PODS, V1Pod.class);
        await("the pods are gone", () -> pods.list(NAMESPACE, LabelSelector.everything(),
                FieldSelector.everything(), ListOptions.consistent(0)).items().isEmpty());
    }

    private static void await(String what, BooleanSupplier condition) {
        long deadline = Clock.system().deadline(PATIENCE);
        while (!condition.getAsBoolean()) {
            if (Clock.system().nanoTime() > deadline) {
                throw new IllegalStateException("not within " + PATIENCE + ": " + what);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /**
     * The objects of one kind.
     *
     * @param spec members of the spec, as JSON
     * @param field the field of the status that counts pods; empty if the kind has none
     * @param pods the pods of each object
     */
    private record Workload(ResourceType type, String spec, String field, int pods) {
        private static final String CHANGE = """
                {"spec":{"template":{"metadata":{"annotations":{"changed":"yes"}}}}}""";

        private ResourceClient<Unstructured> objects(KubeClient client) {
            return client.resource(type, Unstructured.class);
        }

        private List<ObjectKey> keys() {
            return IntStream.range(0, EACH).mapToObj(i -> ObjectKey.of(NAMESPACE, type.plural() + "-" + i)).toList();
        }

        void create(KubeClient client) {
            String json = """
                    {"apiVersion":"%s","kind":"%s","metadata":{"namespace":"%s","name":"NAME"},"spec":{%s}}"""
                    .formatted(type.apiVersion(), type.kind(), NAMESPACE, spec);
            keys().forEach(key -> objects(client)
                    .create(ModelJson.read(json.replace("NAME", key.name()), Unstructured.class)));
        }

        void change(KubeClient client) {
            if (field.startsWith("updated")) {
                keys().forEach(key -> objects(client).patch(key, "", PatchType.MERGE, CHANGE));
            }
        }

        void delete(KubeClient client) {
            Deletion deletion = Deletion.unconditional().withPropagation("Background");
            keys().forEach(key -> objects(client).delete(key, deletion));
        }

        void await(KubeClient client) {
            if (!field.isEmpty()) {
                keys().forEach(key -> Rehearsal.await(type + " " + key, () -> isDone(objects(client).get(key))));
            }
        }

        private boolean isDone(Unstructured object) {
            Number observed = object.getNumber("status", "observedGeneration");
            Number counted = object.getNumber("status", field);
            return counted != null && counted.intValue() == pods
                    && (observed == null || observed.longValue() == object.getMetadata().getGeneration());
        }
    }
}

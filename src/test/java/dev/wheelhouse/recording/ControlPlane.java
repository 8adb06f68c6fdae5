package dev.wheelhouse.recording;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

import tools.jackson.databind.JsonNode;

import dev.wheelhouse.Kubectl;
import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.apiserver.auth.OwnAuthority;
import dev.wheelhouse.apiserver.auth.ServerKeys;
import dev.wheelhouse.apiserver.json.Json;

import static dev.wheelhouse.testing.Eventually.eventually;

/** A real kube-apiserver with etcd, and a real kube-controller-manager that calls it through a {@link Proxy}. */
final class ControlPlane implements AutoCloseable {
    /** The controllers of all scenarios. */
    static final Set<String> CONTROLLERS = Stream.of("deployment", "replicaset", "replicationcontroller",
            "statefulset", "daemonset", "job", "cronjob", "ttl-after-finished", "pod-garbage-collector", "disruption",
            "horizontal-pod-autoscaler", "endpoints", "endpointslice", "endpointslice-mirroring",
            "persistentvolume-binder", "persistentvolume-expander", "persistentvolume-protection",
            "persistentvolumeclaim-protection", "volumeattributesclass-protection", "ephemeral-volume",
            "garbage-collector", "namespace", "resourcequota", "service-cidr",
            "serviceaccount", "serviceaccount-token", "root-ca-certificate-publisher", "clusterrole-aggregation",
            "certificatesigningrequest-approving", "certificatesigningrequest-signing",
            "certificatesigningrequest-cleaner", "legacy-serviceaccount-token-cleaner",
            "validatingadmissionpolicy-status", "resourceclaim", "device-taint-eviction")
            .map(name -> name + "-controller").collect(Collectors.toCollection(TreeSet::new));
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String PROBE = "/apis/apps/v1/namespaces/default/deployments";
    private static final String PODS = "/api/v1/namespaces/default/pods";

    private final Path directory;
    private final RealApiServer server;
    private final Proxy proxy;
    private @Nullable Process manager;
    private Instant managerBegan = Instant.EPOCH;
    private boolean isUsual;
    private int starts;

    /** @throws TestAbortedException where a program is not on the PATH */
    ControlPlane(Path directory) throws Exception {
        this.directory = directory;
        if (Kubectl.onPath("kube-controller-manager").isEmpty()) {
            System.out.println("SKIPPED, because kube-controller-manager is not on the PATH");
            throw new TestAbortedException("kube-controller-manager is not on the PATH");
        }
        server = RealApiServer.startOrSkip(directory);
        eventually("the API server has a certificate", PATIENCE, () -> Files.exists(server.certificate()));
        OwnAuthority.of(ServerKeys.inDirectory(directory), Instant.now());
        proxy = new Proxy(server.port(), RealApiServer.TOKEN, server.certificate());
        Files.writeString(directory.resolve("manager.kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: proxy
                clusters: [{name: proxy, cluster: {server: "%s"}}]
                users: [{name: manager, user: {}}]
                contexts: [{name: proxy, context: {cluster: proxy, user: manager}}]
                """.formatted(proxy.url()));
        eventually("the real API server is ready", PATIENCE, () -> user().get("/readyz").code() == 200
                && user().get("/api/v1/namespaces/default").code() == 200);
    }

    Proxy proxy() {
        return proxy;
    }

    Wire user() {
        return proxy.user();
    }

    String version() {
        return Json.text(user().get("/version").expected(), "gitVersion");
    }

    /**
     * Starts the controller manager, unless the usual one runs and is wanted. Further controllers remember nodes of
     * other scenarios, so that each scenario with them has a manager of its own.
     *
     * @param further the controllers besides {@link #CONTROLLERS}
     * @param options further options of the manager, by name
     */
    void runManager(Set<String> further, Map<String, String> options) throws Exception {
        if (manager == null || !isUsual || !further.isEmpty() || !options.isEmpty()) {
            stopManager();
            startManager(further, options);
        }
    }

    /** Starts the controller manager, and waits until its controllers and the garbage collector work. */
    void startManager(Set<String> further, Map<String, String> options) throws Exception {
        isUsual = further.isEmpty() && options.isEmpty();
        Path log = directory.resolve("kube-controller-manager-" + ++starts + ".log");
        List<String> command = new ArrayList<>(List.of(
                Kubectl.onPath("kube-controller-manager").orElseThrow().toString(),
                "--kubeconfig=" + directory.resolve("manager.kubeconfig"), "--leader-elect=false",
                "--controllers=" + String.join(",", CONTROLLERS)
                        + further.stream().map(controller -> "," + controller).collect(Collectors.joining()),
                "--kube-api-content-type=application/json", "--kube-api-qps=1000", "--kube-api-burst=1000",
                "--root-ca-file=" + directory.resolve("ca.crt"),
                "--service-account-private-key-file=" + directory.resolve("sa.key"),
                "--cluster-signing-cert-file=" + directory.resolve("ca.crt"),
                "--cluster-signing-key-file=" + directory.resolve("ca.key"),
                "--bind-address=127.0.0.1", "--secure-port=" + RealApiServer.freePort(),
                "--cert-dir=" + directory.resolve("manager-certs")));
        options.forEach((name, value) -> command.add("--" + name + "=" + value));
        manager = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        JsonNode probe = Json.read("""
                {"metadata": {"name": "probe-%1$d"}, "spec": {"selector": {"matchLabels": {"probe": "%1$d"}},
                 "template": {"metadata": {"labels": {"probe": "%1$d"}}, "spec": {"containers":
                  [{"name": "app", "image": "app"}]}}}}""".formatted(starts));
        user().post(PROBE, probe).expected();
        eventually("the controllers work; see " + log, PATIENCE, () -> pods() == 1);
        managerBegan = proxy.synced();
        user().delete(PROBE + "/probe-" + starts, null).expected();
        eventually("the garbage collector works; see " + log, PATIENCE, () -> pods() == 0);
    }

    /** The time at which the manager's periodic work began. */
    Instant managerBegan() {
        return managerBegan;
    }

    private int pods() {
        return user().get(PODS).expected().path("items").size();
    }

    void stopManager() throws InterruptedException {
        Process running = manager;
        if (running != null) {
            running.destroy();
            if (!running.waitFor(10, TimeUnit.SECONDS)) {
                running.destroyForcibly();
            }
            manager = null;
        }
    }

    @Override
    public void close() throws Exception {
        stopManager();
        proxy.close();
        server.close();
    }
}

package dev.wheelhouse.controllers.service;

import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.KeyedController;
import dev.wheelhouse.controller.Options;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.runtime.Durations;
import dev.wheelhouse.world.Cluster;

/** A cluster with the Service web, its pods and one of the controllers of endpoints. */
final class ServiceWorld implements AutoCloseable {
    static final ObjectKey WEB = ObjectKey.of("default", "web");
    static final String PORT = "selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]";

    final Cluster cluster = new Cluster();
    private final Make make;
    KeyedController controller;

    /** Makes the controller. */
    interface Make {
        KeyedController of(ControllerContext context);
    }

    ServiceWorld(Make make) {
        this(make, ControllerOptions.Endpoints.DEFAULTS);
    }

    ServiceWorld(Make make, ControllerOptions.Endpoints options) {
        this.make = make;
        node("node-1", "a", "4");
        controller = make.of(cluster.context(Options.DEFAULTS.with(options)));
    }

    static ControllerOptions.Endpoints options(String batchPeriod, int mostPerSlice) {
        Duration period = Durations.parse(batchPeriod);
        return new ControllerOptions.Endpoints(period, period, mostPerSlice, period, mostPerSlice);
    }

    void node(String name, String zone, String cpu) {
        cluster.create(ResourceType.NODES, V1Node.class, """
                {metadata: {name: %s, labels: {topology.kubernetes.io/zone: %s}}, status: {allocatable: {cpu: '%s'},
                 conditions: [{type: Ready, status: 'True'}]}}""", name, zone, cpu);
    }

    void service(String spec) {
        service("", spec);
    }

    void service(String metadata, String spec) {
        cluster.create(ResourceType.SERVICES, V1Service.class, """
                {metadata: {namespace: default, name: web, %s}, spec: {%s}}""", metadata, spec);
    }

    /** A ready pod of web on node-1. */
    void pod(String name, String ip) {
        pod(name, ip, "node-1", "True");
    }

    void pod(String name, String ip, String node, String ready) {
        pod(name, "nodeName: " + node + ",", "ports: [{name: web, containerPort: 8080}]", ip, ready);
    }

    void pod(String name, String spec, String container, String ip, String ready) {
        cluster.create(ResourceType.PODS, V1Pod.class,
                """
                        {metadata: {namespace: default, name: %s, labels: {app: web}}, spec: {%s containers: [{name: c,
                         image: app, %s}]}, status: {phase: Running, podIP: '%s', podIPs: [{ip: '%s'}], conditions: [{
                         type: Ready, status: '%s', lastTransitionTime: '%s'}]}}""",
                name, spec, container, ip, ip, ready,
                cluster.clock.now());
    }

    void ready(String pod, boolean ready) {
        cluster.edit(ResourceType.PODS, V1Pod.class, ObjectKey.of("default", pod), p -> p.getStatus().getConditions()
                .getFirst().status(ready ? "True" : "False").lastTransitionTime(cluster.clock.now()
                        .atOffset(ZoneOffset.UTC)));
    }

    void delete(String pod) {
        cluster.delete(ResourceType.PODS, ObjectKey.of("default", pod));
    }

    void remove(String pod) {
        cluster.remove(ResourceType.PODS, ObjectKey.of("default", pod));
    }

    void settle() {
        cluster.settle(controller.loops());
    }

    void after(Duration time) {
        settle();
        cluster.clock.advance(time);
        settle();
    }

    /** Starts another process. */
    void restart() {
        controller.close();
        cluster.forgetCaches();
        controller = make.of(cluster.context());
        settle();
    }

    List<V1EndpointSlice> slices() {
        return cluster.all(ResourceType.ENDPOINT_SLICES, V1EndpointSlice.class).stream()
                .filter(slice -> !"kubernetes".equals(slice.getMetadata().getName())).toList();
    }

    V1EndpointSlice slice() {
        return slices().getFirst();
    }

    V1Endpoints endpoints() {
        return cluster.read(ResourceType.ENDPOINTS, WEB, V1Endpoints.class);
    }

    /**
     * The addresses in all slices, each with its state if that is not ready and serving: {@code 10.0.0.1 terminating}.
     */
    List<String> addresses() {
        return slices().stream().flatMap(slice -> slice.getEndpoints().stream()).map(ServiceWorld::brief).sorted()
                .toList();
    }

    private static String brief(V1Endpoint endpoint) {
        return endpoint.getAddresses().getFirst()
                + (Boolean.TRUE.equals(endpoint.getConditions().getReady()) ? "" : " unready")
                + (Boolean.FALSE.equals(endpoint.getConditions().getServing()) ? " silent" : "")
                + (Boolean.TRUE.equals(endpoint.getConditions().getTerminating()) ? " terminating" : "");
    }

    /** The zones for which each address is, such as {@code 10.0.0.1 a}, in the order of the addresses. */
    List<String> hints() {
        return slices().stream().flatMap(slice -> slice.getEndpoints().stream())
                .sorted(Comparator.comparing(e -> e.getAddresses().getFirst()))
                .map(e -> e.getAddresses().getFirst() + hints(e)).toList();
    }

    private static String hints(V1Endpoint endpoint) {
        return endpoint.getHints() == null
                ? ""
                : Objects.requireNonNull(endpoint.getHints().getForZones()).stream().map(z -> " " + z.getName())
                        .reduce("", String::concat)
                        + (endpoint.getHints().getForNodes() == null || endpoint.getHints().getForNodes().isEmpty()
                                ? ""
                                : " " + endpoint.getHints().getForNodes().getFirst().getName());
    }

    /** The zones of all hints, such as {@code aab}. */
    String zones() {
        return hints().stream().flatMap(hint -> Stream.of(hint.split(" ")).skip(1)).sorted()
                .collect(Collectors.joining());
    }

    List<String> writes() {
        return cluster.requests.takeWrites().stream().map(w -> w.replaceAll("(web-)\\w+", "$1*")).toList();
    }

    @Override
    public void close() {
        cluster.close();
    }
}

package dev.wheelhouse.client;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.bench.BenchPods;

/**
 * The copies that a reconciler is handed: a pod of four kilobytes, a small one, the same without a class, and a custom
 * resource of records; and the same copy by way of JSON.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class CopyBenchmark {
    private final V1Pod large = ModelJson.read(BenchPods.json(BenchPods.Kind.TEMPLATES, 1, 1), V1Pod.class);
    private final V1Pod small = ModelJson.read(BenchPods.json(BenchPods.Kind.SMALL, 1, 1), V1Pod.class);
    private final Unstructured dynamic = ModelJson.read(BenchPods.json(BenchPods.Kind.TEMPLATES, 1, 1),
            Unstructured.class);
    private final Site site = new Site(new Spec("image:1", 3, List.of(new Host("a.example", Map.of("tls", "yes")),
            new Host("b.example", Map.of()))), "Ready");

    /** A custom resource's spec. */
    public record Spec(String image, int replicas, List<Host> hosts) {}

    /** A part of it. */
    public record Host(String name, Map<String, String> annotations) {}

    /** The custom resource. */
    public record Site(Spec spec, String phase) {}

    /** A pod of four kilobytes. */
    @Benchmark
    public Object largePod() {
        return ModelJson.copy(large);
    }

    /** A pod of less than one kilobyte. */
    @Benchmark
    public Object smallPod() {
        return ModelJson.copy(small);
    }

    /** The large pod without a class. */
    @Benchmark
    public Object dynamicPod() {
        return ModelJson.copy(dynamic);
    }

    /** Nested records. */
    @Benchmark
    public Object records() {
        return ModelJson.copy(site);
    }

    /** Nested records by way of JSON. */
    @Benchmark
    public Object recordsByJson() {
        return ModelJson.reread(site);
    }

    /** The large pod by way of JSON. */
    @Benchmark
    public Object largePodByJson() {
        return ModelJson.reread(large);
    }
}

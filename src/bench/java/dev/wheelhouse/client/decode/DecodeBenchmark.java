package dev.wheelhouse.client.decode;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.bench.BenchPods;
import dev.wheelhouse.client.ModelJson;

/**
 * One pod from its bytes to the official model: by Jackson's databind, as answers are read, and by the streaming
 * decoders of cached objects in JSON and protobuf; on data that repeats, on data that never does, and on data whose
 * values get in each other's way.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class DecodeBenchmark {
    private static final int PODS = 10_000;

    /** The bytes to decode. */
    @Param({"TEMPLATES", "DISTINCT", "COLLIDING"})
    public String data = "";

    private final List<byte[]> pods = new ArrayList<>();
    private final List<byte[]> wirePods = new ArrayList<>();
    private final ObjectDecoder<V1Pod> wire = ObjectDecoder.of(ResourceType.PODS, V1Pod.class, new DecoderMemory())
            .forCaches();
    private final tools.jackson.databind.ObjectReader databind = ModelJson.reader(V1Pod.class);
    private final ModelShape shape = new DecoderMemory().shape(V1Pod.class);
    private int next;

    /** Makes what is decoded. */
    @Setup
    public void make() {
        List<String> colliding = data.equals("COLLIDING") ? colliding(64) : List.of();
        for (int i = 0; i < PODS; i++) {
            byte[] pod = BenchPods.json(
                    data.equals("DISTINCT") ? BenchPods.Kind.DISTINCT : BenchPods.Kind.TEMPLATES, i, 1_000_000 + i);
            if (!colliding.isEmpty()) {
                // The node, the phase and a label: each value repeats, but never before another one took its place.
                String text = new String(pod, java.nio.charset.StandardCharsets.UTF_8)
                        .replaceAll("\"(nodeName|phase|pod-template-hash|image|value|name)\":\"[^\"]*\"",
                                "\"$1\":\"" + colliding.get(i % colliding.size()) + "\"");
                pod = text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
            }
            pods.add(pod);
            wirePods.add(wire.write(ModelJson.read(pod, V1Pod.class)));
        }
    }

    /** Texts whose JSON has the same place in every table of seen values, however large the table is. */
    private static List<String> colliding(int count) {
        List<String> found = new ArrayList<>();
        for (int i = 0; found.size() < count; i++) {
            byte[] json = ("\"value-" + i + '"').getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            if ((JsonCursor.hash(json, 0, json.length) & 0xfff) == 0) {
                found.add("value-" + i);
            }
        }
        return found;
    }

    private byte[] pod() {
        return next(pods);
    }

    private byte[] next(List<byte[]> all) {
        // Not one after the other, as pods of one template come in lists: events come in no such order.
        next = (next + 7919) % PODS;
        return all.get(next);
    }

    /** Jackson. */
    @Benchmark
    public Object databind() {
        byte[] pod = pod();
        return databind.readValue(pod, 0, pod.length);
    }

    /** The streaming decoder. */
    @Benchmark
    public Object streaming() {
        byte[] pod = pod();
        return shape.read(new JsonCursor(pod, 0, pod.length), 0);
    }

    /** The decoder of protobuf, with the envelope. */
    @Benchmark
    public Object protobuf() {
        return wire.readAnswer("read", next(wirePods));
    }

    /** The least that a decoder can cost: it looks at each byte. */
    @Benchmark
    public int endOfTheValue() {
        byte[] pod = pod();
        JsonCursor in = new JsonCursor(pod, 0, pod.length);
        in.skip();
        return in.at;
    }
}

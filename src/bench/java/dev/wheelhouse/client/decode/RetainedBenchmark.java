package dev.wheelhouse.client.decode;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.function.Function;

import com.sun.management.ThreadMXBean;

import io.kubernetes.client.openapi.models.V1Pod;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.bench.BenchPods;
import dev.wheelhouse.client.ModelJson;

/**
 * Two costs of decoding that JMH does not show: CPU time, which is comparable on a busy machine too, and the memory
 * that decoded objects retain. One thread; best with the serial collector.
 */
public final class RetainedBenchmark {
    private static final int PODS = 4000;
    private static final int ROUNDS = 4;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** So that no compiler finds the decoding useless. */
    private static volatile Object latest = "";

    private RetainedBenchmark() {}

    public static void main(String... args) {
        tools.jackson.databind.ObjectReader jackson = ModelJson.reader(V1Pod.class);
        ModelShape shape = new DecoderMemory().shape(V1Pod.class);
        Function<byte[], Object> databind = json -> jackson.readValue(json, 0, json.length);
        Function<byte[], Object> streaming = json -> shape.read(new JsonCursor(json, 0, json.length), 0);
        ObjectDecoder<V1Pod> protobuf = ObjectDecoder.of(ResourceType.PODS, V1Pod.class, new DecoderMemory())
                .forCaches();
        System.out
                .println("| pods | way | bytes | CPU us a pod | garbage bytes a pod | retained bytes a pod |");
        for (BenchPods.Kind kind : BenchPods.Kind.values()) {
            byte[][] pods = new byte[PODS][];
            for (int i = 0; i < PODS; i++) {
                pods[i] = BenchPods.json(kind, i, 1_000_000 + i);
            }
            row(kind, "databind", pods, databind);
            row(kind, "streaming", pods, streaming);
            for (int i = 0; i < PODS; i++) {
                pods[i] = protobuf.write(ModelJson.read(pods[i], V1Pod.class));
            }
            row(kind, "protobuf", pods, bytes -> protobuf.readAnswer("read", bytes));
        }
    }

    private static void row(BenchPods.Kind kind, String way, byte[][] pods, Function<byte[], Object> decode) {
        double best = Double.MAX_VALUE;
        long garbage = 0;
        long id = Thread.currentThread().threadId();
        for (int round = 0; round < ROUNDS; round++) {
            long cpu = THREADS.getThreadCpuTime(id);
            long allocated = THREADS.getThreadAllocatedBytes(id);
            int decoded = 0;
            while (THREADS.getThreadCpuTime(id) - cpu < 1_000_000_000L) {
                for (int i = 0; i < 200; i++) {
                    latest = decode.apply(pods[(int) (decoded++ * 7919L % PODS)]);
                }
            }
            best = Math.min(best, (THREADS.getThreadCpuTime(id) - cpu) / 1e3 / decoded);
            garbage = (THREADS.getThreadAllocatedBytes(id) - allocated) / decoded;
        }
        long before = used();
        Object[] kept = new Object[PODS];
        for (int i = 0; i < PODS; i++) {
            kept[i] = decode.apply(pods[i]);
        }
        long retained = (used() - before) / kept.length;
        System.out.printf(Locale.ROOT, "| %s | %s | %,d | %.1f | %,d | %,d |%n", kind, way, pods[0].length, best,
                garbage,
                retained);
    }

    private static long used() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}

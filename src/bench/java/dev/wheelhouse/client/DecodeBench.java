package dev.wheelhouse.client;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;

import com.sun.management.ThreadMXBean;

import io.kubernetes.client.openapi.models.V1Pod;

import bench.PodGen;

/**
 * CPU time and garbage of decoding one pod of the informer benchmark, on one thread, and the memory that decoded pods retain:
 * {@code java -cp … dev.wheelhouse.client.DecodeBench}.
 */
public final class DecodeBench {
    private static final int PODS = 4000;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private DecodeBench() {}

    public static void main(String[] args) {
        byte[][] pods = new byte[PODS][];
        for (int i = 0; i < PODS; i++) {
            // The generator leaves out what events and items begin with differently.
            pods[i] = ("{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
                    + new String(PodGen.pod(i).json, StandardCharsets.UTF_8))
                    .getBytes(StandardCharsets.UTF_8);
        }
        ModelJson.Reader<V1Pod> jackson = ModelJson.reader(V1Pod.class);
        ModelShape shape = ModelShape.of(V1Pod.class);
        Function<byte[], Object> databind = json -> jackson.read(json, 0, json.length);
        Function<byte[], Object> shared = json -> shape.read(new JsonBytes(json, 0, json.length), 0);
        Function<byte[], Object> skip = json -> {
            new JsonBytes(json, 0, json.length).skip();
            return json;
        };
        for (int round = 0; round < 3; round++) {
            measure("databind", pods, databind);
            measure("streaming, shared", pods, shared);
            measure("end of the value", pods, skip);
        }
        retained("databind", pods, databind);
        retained("streaming, shared", pods, shared);
    }

    private static void measure(String name, byte[][] pods, Function<byte[], Object> decode) {
        long id = Thread.currentThread().threadId();
        long cpu = THREADS.getThreadCpuTime(id);
        long allocated = THREADS.getThreadAllocatedBytes(id);
        int sum = 0;
        int n = 0;
        while (THREADS.getThreadCpuTime(id) - cpu < 1_000_000_000L) {
            for (int i = 0; i < 200; i++) {
                sum += decode.apply(pods[n++ % pods.length]).getClass().getName().length();
            }
        }
        System.out.printf("%-20s %6.1f us CPU, %7d bytes allocated a pod (%d)%n", name,
                (THREADS.getThreadCpuTime(id) - cpu) / 1e3 / n, (THREADS.getThreadAllocatedBytes(id) - allocated) / n,
                sum % 2);
    }

    private static void retained(String name, byte[][] pods, Function<byte[], Object> decode) {
        long before = used();
        Object[] kept = new Object[pods.length];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = decode.apply(pods[i]);
        }
        long after = used();
        System.out.printf("%-20s %d bytes retained a pod%n", name, (after - before) / kept.length);
    }

    private static long used() {
        for (int i = 0; i < 4; i++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}

package dev.wheelhouse.bench.apiserver;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.store.Storage;

/** A process that is nothing but the embedded API server; {@code gc} on its input prints what its heap retains. */
final class ServedProcess {
    private static final int KEPT_WRITES = 20_000;

    private ServedProcess() {}

    /** @param args a data directory and what a write survives, or nothing */
    public static void main(String[] args) throws IOException {
        ApiServerOptions options = ApiServerOptions.defaults();
        if (args.length > 0) {
            options = options.withStorage(Storage.inDirectory(Path.of(args[0]), KEPT_WRITES,
                    args[1].equals("POWER")));
        }
        ApiServer server = new ApiServer(options).start();
        System.out.println("listening " + server.url());
        System.in.transferTo(new java.io.OutputStream() {
            @Override
            public void write(int b) {
                if (b == 'g') {
                    System.out.println("retained " + retained());
                } else if (b == 'c') {
                    server.faults().compactNow();
                    System.out.println("retained " + retained());
                }
            }
        });
        server.close();
    }

    private static long retained() {
        for (int i : List.of(1, 2, 3)) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }
}

package dev.wheelhouse.apiserver;

import java.nio.file.Path;

import dev.wheelhouse.apiserver.store.Storage;

/** A process with only an API server on a data directory, for CrashTest to kill. */
final class CrashingServer {
    private CrashingServer() {}

    /** @param args the data directory, the number of writes kept for watches, and whether writes wait for the disk */
    public static void main(String[] args) throws InterruptedException {
        ApiServer server = new ApiServer(ApiServerOptions.defaults()
                .withStorage(Storage.inDirectory(Path.of(args[0]), Integer.parseInt(args[1]),
                        Boolean.parseBoolean(args[2]))))
                .start();
        System.out.println("listening " + server.url());
        Thread.currentThread().join();
    }
}

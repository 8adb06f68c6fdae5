package dev.wheelhouse.apiserver;

import java.nio.file.Path;

import dev.wheelhouse.apiserver.store.Storage;

/** A process that is nothing but an API server with a data directory, made to be killed. */
final class CrashingServer {
    private CrashingServer() {}

    /** @param args the data directory, how many writes are kept for watches, and whether each waits for the disk */
    public static void main(String[] args) throws InterruptedException {
        ApiServer server = new ApiServer(ApiServerOptions.defaults()
                .withStorage(Storage.inDirectory(Path.of(args[0]), Integer.parseInt(args[1]),
                        Boolean.parseBoolean(args[2]))))
                .start();
        System.out.println("listening " + server.url());
        Thread.currentThread().join();
    }
}

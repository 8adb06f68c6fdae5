package dev.wheelhouse.spring;

import java.io.PrintStream;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/** Prints the last line of the service, which says whether the objects of the embedded API server were kept. */
public final class ShutdownMessage implements Runnable {
    private final ApiServerConnection connection;
    private final PrintStream out;

    ShutdownMessage(ApiServerConnection connection, PrintStream out) {
        this.connection = connection;
        this.out = out;
    }

    /** Prints the line. Called when the context is closed, so that the line is true. */
    @Override
    public void run() {
        out.println("Wheelhouse has ended." + state());
    }

    private String state() {
        ApiServerConnection.Embedded embedded = connection.embedded();
        if (embedded == null) {
            return "";
        }
        String problem = connection.storageProblem();
        return problem == null
                ? " Its objects " + (embedded.dataDir() == null
                        ? "were in memory and are gone."
                        : "are kept in " + embedded.dataDir() + ".")
                : " Its last writes were refused: " + problem;
    }

    /** The line at the start that says whether the objects will be kept when the service ends. */
    static String announced(@Nullable Path dataDir) {
        return dataDir == null
                ? "Its objects are in memory and gone when it ends:"
                        + " --wheelhouse.apiserver.data-dir=DIRECTORY keeps them."
                : "Its objects are kept in " + dataDir + ".";
    }
}

package dev.wheelhouse.apiserver.store;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** A storage that keeps nothing, and calls a test before each commit. */
public record CommitHook(Consumer<List<Storage.Write>> onCommit) implements Storage {
    /** Holds a commit until the latch opens, or the thread is interrupted. */
    public static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Recovered load(Reader reader) {
        return new Recovered(0, 0);
    }

    @Override
    public void commit(List<Write> writes) {
        onCommit.accept(writes);
    }

    @Override
    public boolean isDurable() {
        return true;
    }

    @Override
    public void close() {
        // Nothing is open.
    }
}

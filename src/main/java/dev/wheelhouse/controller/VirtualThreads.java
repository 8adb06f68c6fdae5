package dev.wheelhouse.controller;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** @param atOnce the maximum number of concurrent calls */
record VirtualThreads(int atOnce) implements Parallel {
    VirtualThreads {
        if (atOnce < 1) {
            throw new IllegalArgumentException("the number of concurrent calls must be 1 or more, not " + atOnce);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T, R> List<R> map(List<T> items, Function<? super T, ? extends R> call) {
        if (items.size() < 2 || atOnce == 1) {
            return Parallel.inOrder().map(items, call);
        }
        Object[] answers = new Object[items.size()];
        AtomicInteger next = new AtomicInteger();
        AtomicBoolean interrupted = new AtomicBoolean();
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        Map<String, String> logged = MDC.getCopyOfContextMap();
        for (int i = 0; i < Math.min(atOnce, items.size()); i++) {
            threads.add(Thread.ofVirtual().name(Thread.currentThread().getName() + "/batch-" + i).start(() -> {
                MDC.setContextMap(logged == null ? Map.of() : logged);
                for (int at = next.getAndIncrement(); at < answers.length; at = next.getAndIncrement()) {
                    if (interrupted.get()) {
                        Thread.currentThread().interrupt();
                    }
                    try {
                        answers[at] = call.apply(items.get(at));
                    } catch (RuntimeException | Error e) {
                        failure.compareAndSet(null, e);
                    }
                }
            }));
        }
        joinAll(threads, interrupted);
        Throwable thrown = failure.get();
        if (thrown instanceof Error e) {
            throw e;
        }
        if (thrown instanceof RuntimeException e) {
            throw e;
        }
        return (List<R>) Arrays.asList(answers);
    }

    private static void joinAll(List<Thread> threads, AtomicBoolean interrupted) {
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted.set(true);
                    threads.forEach(Thread::interrupt);
                }
            }
        }
        if (interrupted.get()) {
            Thread.currentThread().interrupt();
        }
    }
}

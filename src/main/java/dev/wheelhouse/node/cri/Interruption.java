package dev.wheelhouse.node.cri;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import okhttp3.Call;

/** Ends the call or the sleep that keeps a pod's step from noticing that the pod has to stop. Thread safe. */
final class Interruption {
    private volatile @Nullable Call call;
    private final CountDownLatch requested = new CountDownLatch(1);

    /** A call of the pod's step is about to be sent. */
    void begun(Call begun) {
        call = begun;
        if (isRequested()) {
            begun.cancel();
        }
    }

    /** Waits for the time, or for the request, or until the thread is interrupted. */
    void sleep(Duration time) {
        try {
            requested.await(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the call that is under way, and all later ones. */
    void request() {
        requested.countDown();
        Call current = call;
        if (current != null) {
            current.cancel();
        }
    }

    boolean isRequested() {
        return requested.getCount() == 0;
    }
}

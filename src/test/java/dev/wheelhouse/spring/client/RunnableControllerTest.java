package dev.wheelhouse.spring.client;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.wheelhouse.controller.Controller;
import dev.wheelhouse.runtime.Loop;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(900)
class RunnableControllerTest {
    /** A controller that ends late: its shutdown does not end its run. */
    private static final class Late implements io.kubernetes.client.extended.controller.Controller {
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @Override
        public void run() {
            begun.countDown();
            try {
                mayEnd.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void shutdown() {}
    }

    @Test
    void itIsDrainedOnlyWhenItsRunHasEnded() throws Exception {
        Late late = new Late();
        try (Cluster cluster = new Cluster();
                Controller controller = RunnableController.descriptor("late", late).factory()
                        .apply(cluster.context())) {
            assertThat(controller.drain(Duration.ZERO)).isTrue();
            Loop loop = controller.loops().getFirst();
            Thread thread = Thread.ofPlatform().start(() -> {
                try {
                    loop.step();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            late.begun.await();
            controller.close();
            assertThat(controller.drain(Duration.ZERO)).isFalse();
            late.mayEnd.countDown();
            assertThat(controller.drain(Duration.ofSeconds(20))).isTrue();
            thread.join();
        }
    }
}

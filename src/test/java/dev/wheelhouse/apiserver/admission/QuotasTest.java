package dev.wheelhouse.apiserver.admission;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.protocol.Target;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.store.ObjectStore;
import dev.wheelhouse.apiserver.store.Retention;
import dev.wheelhouse.apiserver.store.Storage;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.runtime.ManualClock;

import static org.assertj.core.api.Assertions.assertThat;

class QuotasTest {
    private static final ResourceInfo CONFIG_MAPS = Objects
            .requireNonNull(ResourceRegistry.builtIn().find("", "v1", "configmaps"));

    private final ManualClock clock = new ManualClock();
    private final ObjectStore store = new ObjectStore(clock, Retention.standard(), Storage.inMemory());
    private final Quotas quotas = new Quotas(store, clock);

    private void quota(String namespace) {
        store.create("resourcequotas", (ObjectNode) Json.read("""
                {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q", "namespace": "%s"},
                 "spec": {"hard": {"count/configmaps": "5"}},
                 "status": {"hard": {"count/configmaps": "5"}, "used": {"count/configmaps": "0"}}}"""
                .formatted(namespace)));
    }

    private String create(String namespace, Runnable during) {
        ObjectNode object = (ObjectNode) Json.read("""
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "%s"}}"""
                .formatted(namespace));
        return quotas.admit(new Target(CONFIG_MAPS, namespace, "c", ""), object, null, false, () -> {
            during.run();
            return "written";
        });
    }

    @Test
    void aSlowWriteInOneNamespaceHoldsUpNoWriteInAnother() throws Exception {
        quota("slow");
        quota("other");
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<String> slow = onItsOwnThread(() -> create("slow", () -> {
            inside.countDown();
            awaitQuietly(end);
        }));
        try {
            assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<String> other = onItsOwnThread(() -> create("other", () -> {}));
            assertThat(other.get(30, TimeUnit.SECONDS)).isEqualTo("written");
        } finally {
            end.countDown();
        }
        assertThat(slow.get(30, TimeUnit.SECONDS)).isEqualTo("written");
    }

    private static CompletableFuture<String> onItsOwnThread(Supplier<String> work) {
        return CompletableFuture.supplyAsync(work, task -> Thread.ofPlatform().daemon().start(task));
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.wheelhouse.manager;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

class ServedTypesTest {
    private static final ResourceType WEBSITES = new ResourceType("example.com", "v1", "websites", "Website", true);
    private static final ResourceType BETA = new ResourceType("example.com", "v1beta1", "websites", "Website", true);

    private final Cluster cluster = new Cluster();
    private final List<String> changes = new ArrayList<>();

    @AfterEach
    void close() {
        cluster.close();
    }

    private ServedTypes types(ResourceType... required) {
        return new ServedTypes(cluster.client(), cluster.informers(), Set.of(required), cluster.clock,
                () -> changes.add("changed"));
    }

    @Test
    void aTypeIsMissingUntilItsDefinitionIsServedWhichTheWatchShowsWithinASecond() {
        ServedTypes types = types(WEBSITES, ResourceType.PODS);
        assertThat(types.missing(Set.of(ResourceType.PODS))).as("before the first look").hasSize(1);
        assertThat(types.step()).isEqualTo(Duration.ofSeconds(30).toNanos());
        assertThat(types.missing(Set.of(WEBSITES, ResourceType.PODS))).containsExactly(WEBSITES);
        cluster.deliver();

        cluster.define(WEBSITES);
        cluster.deliver();
        assertThat(types.step()).isEqualTo(Duration.ofSeconds(1).toNanos());
        cluster.clock.advance(Duration.ofSeconds(1));
        types.step();
        assertThat(types.missing(Set.of(WEBSITES))).isEmpty();

        cluster.undefine(WEBSITES);
        cluster.deliver();
        cluster.clock.advance(Duration.ofSeconds(1));
        types.step();
        assertThat(types.missing(Set.of(WEBSITES))).containsExactly(WEBSITES);
        assertThat(changes).hasSize(3);
    }

    @Test
    void aTypeInAnotherVersionThanTheServedOneIsMissing() {
        cluster.define(WEBSITES);
        ServedTypes types = types(BETA);
        types.step();
        assertThat(types.missing(Set.of(BETA))).containsExactly(BETA);
    }

    @Test
    void whoMayNotReadDefinitionsLooksEveryTenSeconds() {
        cluster.requests.failNext("list customresourcedefinitions", 403, "Forbidden", "no");
        ServedTypes types = types(WEBSITES);
        assertThat(types.step()).isEqualTo(Duration.ofSeconds(10).toNanos());
        cluster.define(WEBSITES);
        assertThat(cluster.deliver()).as("no informer asks for what it may not have").isFalse();
        cluster.clock.advance(Duration.ofSeconds(10));
        types.step();
        assertThat(types.missing(Set.of(WEBSITES))).isEmpty();
    }

    @Test
    void aTypeStaysServedWhileTheDiscoveryOfItsGroupOrOfAllFails() {
        cluster.requests.discover(WEBSITES);
        ServedTypes types = types(WEBSITES);
        assertThat(types.step()).as("nothing is missing").isEqualTo(Duration.ofMinutes(5).toNanos());
        assertThat(types.missing(Set.of(WEBSITES))).isEmpty();

        cluster.requests.hide(WEBSITES);
        cluster.requests.failDiscovery("example.com/v1: 503");
        cluster.clock.advance(Duration.ofMinutes(5));
        types.step();
        assertThat(types.missing(Set.of(WEBSITES))).isEmpty();

        cluster.requests.failDiscovery("apps/v1: 503");
        cluster.clock.advance(Duration.ofMinutes(5));
        types.step();
        assertThat(types.missing(Set.of(WEBSITES))).containsExactly(WEBSITES);
    }

    @Test
    void aLookThatFailsIsRepeatedSoon() {
        cluster.requests.failNext("list customresourcedefinitions",
                new KubeApiException("list", 503, "ServiceUnavailable", "not yet", null));
        ServedTypes types = types(ResourceType.PODS);
        assertThat(types.step()).isEqualTo(Duration.ofSeconds(2).toNanos());
        cluster.clock.advance(Duration.ofSeconds(2));
        types.step();
        assertThat(types.missing(Set.of(ResourceType.PODS))).isEmpty();
    }
}

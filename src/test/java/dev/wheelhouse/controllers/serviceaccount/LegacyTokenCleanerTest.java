package dev.wheelhouse.controllers.serviceaccount;

import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;

/** Upstream's assertions about unused tokens (upstream: {@code legacy_serviceaccount_token_cleaner_test.go}). */
class LegacyTokenCleanerTest {
    private static final Duration YEAR = Duration.ofDays(365);

    private final Cluster cluster = new Cluster();
    private LegacyTokenCleaner controller = new LegacyTokenCleaner(cluster.context());

    @BeforeEach
    void anAccountWithItsSecret() {
        cluster.create(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class, """
                {apiVersion: v1, kind: ServiceAccount, metadata: {namespace: default, name: robot},
                 secrets: [{name: generated}]}""");
        secret("generated");
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void secret(String name) {
        cluster.create(ResourceType.SECRETS, V1Secret.class, """
                {apiVersion: v1, kind: Secret, metadata: {namespace: default, name: %s, annotations:
                 {kubernetes.io/service-account.name: robot}}, type: kubernetes.io/service-account-token}""", name);
    }

    private void pass(Duration time) {
        cluster.clock.advance(time);
        cluster.settle(controller.loops());
    }

    private LocalDate today() {
        return cluster.clock.now().atOffset(ZoneOffset.UTC).toLocalDate();
    }

    private Map<String, String> labels() {
        Map<String, String> labels = cluster.read(ResourceType.SECRETS, ObjectKey.of("default", "generated"),
                V1Secret.class).getMetadata().getLabels();
        return labels == null ? Map.of() : labels;
    }

    private void label(String key, String value) {
        cluster.edit(ResourceType.SECRETS, V1Secret.class, ObjectKey.of("default", "generated"),
                secret -> secret.getMetadata().putLabelsItem(key, value));
    }

    private boolean exists() {
        return cluster.exists(ResourceType.SECRETS, ObjectKey.of("default", "generated"));
    }

    @Test
    void anUnusedSecretOfAnAccountIsMarkedAfterAYearAndDeletedAYearLater() {
        cluster.settle(controller.loops());
        pass(YEAR);
        assertThat(labels()).isEmpty();
        pass(Duration.ofDays(1));
        assertThat(labels()).isEqualTo(Map.of(StaleTokens.INVALID_SINCE, today().toString()));
        pass(YEAR);
        assertThat(exists()).isTrue();
        pass(Duration.ofDays(1));
        assertThat(exists()).isFalse();
    }

    @Test
    void thePlanOfASecretIsItsPartOfTheRound() {
        secret("by-hand");
        cluster.settle(controller.loops());
        ObjectKey generated = ObjectKey.of("default", "generated");
        assertThat(controller.plan("secrets", generated)).hasValue(List.of());
        cluster.clock.advance(YEAR.plusDays(1));
        assertThat(controller.plan("secrets", generated).orElseThrow()).singleElement()
                .isInstanceOf(Action.Patch.class);
        assertThat(controller.plan("secrets", ObjectKey.of("default", "by-hand"))).hasValue(List.of());
        assertThat(controller.plan("secrets", ObjectKey.of("default", "none"))).isEmpty();
        assertThat(labels()).isEmpty();
    }

    @Test
    void aSecretWhoseTokenWasUsedStays() {
        pass(YEAR);
        label(StaleTokens.LAST_USED, today().toString());
        pass(Duration.ofDays(3));
        assertThat(labels()).doesNotContainKey(StaleTokens.INVALID_SINCE);
    }

    @Test
    void aSecretToWhichItsAccountDoesNotReferStays() {
        secret("by-hand");
        cluster.settle(controller.loops());
        pass(YEAR.plusDays(2));
        assertThat(cluster.read(ResourceType.SECRETS, ObjectKey.of("default", "by-hand"), V1Secret.class)
                .getMetadata().getLabels()).isNullOrEmpty();
        assertThat(labels()).isNotEmpty();
    }

    @Test
    void aSecretThatAPodUsesStays() {
        cluster.create(ResourceType.PODS, V1Pod.class, """
                {metadata: {namespace: default, name: p}, spec: {containers: [{name: c, image: i}],
                 volumes: [{name: v, projected: {sources: [{secret: {name: generated}}]}}]}}""");
        cluster.settle(controller.loops());
        pass(YEAR.plusDays(2));
        assertThat(labels()).isEmpty();
    }

    @Test
    void nothingIsDeletedUnlessItIsKnownSinceWhenUseIsRecorded() {
        cluster.edit(ResourceType.CONFIG_MAPS, V1ConfigMap.class, LegacyTokenCleaner.TRACKING,
                tracking -> tracking.getData().put("since", "yesterday"));
        cluster.settle(controller.loops());
        pass(YEAR.plusDays(2));
        assertThat(labels()).isEmpty();
        cluster.delete(ResourceType.CONFIG_MAPS, LegacyTokenCleaner.TRACKING);
        pass(Duration.ofDays(1));
        assertThat(labels()).isEmpty();
    }

    @Test
    void aLabelThatIsNoDateProvesNothingAndAnInvalidMarkIsWrittenAgain() {
        label(StaleTokens.LAST_USED, "long-ago");
        label(StaleTokens.INVALID_SINCE, "nonsense");
        cluster.settle(controller.loops());
        pass(YEAR.plusDays(2));
        assertThat(labels()).containsEntry(StaleTokens.INVALID_SINCE, "nonsense");
        cluster.edit(ResourceType.SECRETS, V1Secret.class, ObjectKey.of("default", "generated"),
                secret -> secret.getMetadata().getLabels().remove(StaleTokens.LAST_USED));
        pass(Duration.ofDays(1));
        assertThat(labels()).containsEntry(StaleTokens.INVALID_SINCE, today().toString());
    }
}

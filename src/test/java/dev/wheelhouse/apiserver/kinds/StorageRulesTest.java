package dev.wheelhouse.apiserver.kinds;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1StorageClass;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.PatchType;
import dev.wheelhouse.world.Cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The rules of the API server for claims, volumes and their classes. */
class StorageRulesTest {
    private static final ResourceType CLAIMS = ResourceType.PERSISTENT_VOLUME_CLAIMS;
    private static final ResourceType VOLUMES = ResourceType.PERSISTENT_VOLUMES;
    private static final ObjectKey DATA = ObjectKey.of("default", "data");
    private static final ObjectKey DISK = ObjectKey.cluster("disk");

    private final Cluster cluster = new Cluster();

    @BeforeEach
    void classes() {
        for (String grows : List.of("true", "false")) {
            cluster.create(ResourceType.STORAGE_CLASSES, V1StorageClass.class,
                    "{metadata: {name: grows-%1$s}, provisioner: csi.example.com, allowVolumeExpansion: %1$s}", grows);
        }
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void claim(String rest) {
        cluster.create(CLAIMS, Unstructured.class, """
                {metadata: {name: data, namespace: default}, spec: {accessModes: [ReadWriteOnce],
                 resources: {requests: {storage: 2Gi}}, %s}}""", rest);
    }

    private void volume(String rest) {
        cluster.create(VOLUMES, Unstructured.class, """
                {metadata: {name: disk}, spec: {capacity: {storage: 2Gi}, accessModes: [ReadWriteOnce], %s}}""", rest);
    }

    private void patch(ResourceType type, ObjectKey key, String subresource, String body) {
        cluster.user().metadata(type).patch(key, subresource, PatchType.MERGE, body);
    }

    private void bound() {
        patch(CLAIMS, DATA, "status", "{\"status\": {\"phase\": \"Bound\", \"capacity\": {\"storage\": \"1Gi\"}}}");
    }

    @Test
    void newClaimsAndVolumesAreProtected() {
        claim("storageClassName: ''");
        volume("hostPath: {path: /data}");

        assertThat(cluster.json(CLAIMS, DATA).at("/metadata/finalizers/0").asString())
                .isEqualTo("kubernetes.io/pvc-protection");
        assertThat(cluster.json(VOLUMES, DISK).at("/metadata/finalizers/0").asString())
                .isEqualTo("kubernetes.io/pv-protection");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', value = {
            "accessModes: [ReadWriteOncePod, ReadWriteOnce] | spec.accessModes: Forbidden: may not use "
                    + "ReadWriteOncePod "
                    + "with other access modes",
            "accessModes: [Sometimes] | spec.accessModes: Unsupported value: \"Sometimes\"",
            "selector: {matchExpressions: [{key: a, operator: Near}]} | spec.selector.matchExpressions[0].operator: "
                    + "Invalid value: \"Near\": not a valid selector operator",
            "volumeAttributesClassName: Gold_ | spec.volumeAttributesClassName: Invalid value: \"Gold_\""})
    void aClaimThatBreaksARuleIsRefused(String rest, String message) {
        assertThatThrownBy(() -> claim(rest)).isInstanceOf(KubeApiException.class).hasMessageContaining(message);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', value = {
            "local: {path: /mnt} | spec.nodeAffinity: Required value: Local volume requires node affinity",
            "hostPath: {path: /a}, volumeAttributesClassName: gold | spec.csi: Required value: has to be "
                    + "specified when "
                    + "using volumeAttributesClassName",
            "hostPath: {path: /a}, accessModes: [ReadWriteOncePod, ReadOnlyMany] | spec.accessModes: Forbidden"})
    void aVolumeThatBreaksARuleIsRefused(String rest, String message) {
        assertThatThrownBy(() -> volume(rest)).isInstanceOf(KubeApiException.class).hasMessageContaining(message);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
            "{\"spec\":{\"accessModes\":[\"ReadWriteMany\"]}} | spec: Forbidden: spec is immutable after "
                    + "creation except "
                    + "resources.requests and volumeAttributesClassName for bound claims",
            "{\"spec\":{\"storageClassName\":\"grows-false\"}} | spec: Forbidden: spec is immutable after creation",
            "{\"spec\":{\"resources\":{\"requests\":{\"storage\":\"5Gi\"}}}} | spec: Forbidden: spec is immutable",
            "{\"spec\":{\"volumeMode\":\"Block\"}} | volumeMode: Invalid value: \"Block\": field is immutable",
            "{\"metadata\":{\"annotations\":{\"volume.beta.kubernetes.io/storage-class\":\"x\"}}} | "
                    + "metadata.annotations[volume.beta.kubernetes.io/storage-class]: Invalid value: \"x\": field is "
                    + "immutable"})
    void aClaimThatIsNotBoundDoesNotChange(String patch, String message) {
        claim("storageClassName: grows-true");

        assertThatThrownBy(() -> patch(CLAIMS, DATA, "", patch)).isInstanceOf(KubeApiException.class)
                .hasMessageContaining(message);
    }

    @Test
    void theVolumeOfAClaimIsSetOnce() {
        claim("storageClassName: ''");
        patch(CLAIMS, DATA, "", "{\"spec\": {\"volumeName\": \"disk\"}}");

        assertThatThrownBy(() -> patch(CLAIMS, DATA, "", "{\"spec\": {\"volumeName\": \"other\"}}"))
                .hasMessageContaining("spec is immutable after creation");
    }

    @Test
    void aClaimThatWasCreatedWithoutAClassMayGetOne() {
        claim("volumeMode: Filesystem");
        patch(CLAIMS, DATA, "", "{\"spec\": {\"storageClassName\": \"grows-true\"}}");

        assertThat(cluster.json(CLAIMS, DATA).at("/spec/storageClassName").asString()).isEqualTo("grows-true");
    }

    @Test
    void aBoundClaimGrowsOnlyIfItsClassAllowsIt() {
        String larger = "{\"spec\": {\"resources\": {\"requests\": {\"storage\": \"5Gi\"}}}}";
        claim("storageClassName: grows-true");
        bound();
        patch(CLAIMS, DATA, "", larger);
        assertThat(cluster.json(CLAIMS, DATA).at("/spec/resources/requests/storage").asString()).isEqualTo("5Gi");

        cluster.remove(CLAIMS, DATA);
        claim("storageClassName: grows-false");
        bound();
        assertThatThrownBy(() -> patch(CLAIMS, DATA, "", larger)).hasMessageContaining("persistentvolumeclaims \"data\""
                + " is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions"
                + " the pvc must support resize");
    }

    @Test
    void aBoundClaimShrinksOnlyToMoreThanItsCapacity() {
        claim("storageClassName: grows-true");
        bound();
        patch(CLAIMS, DATA, "", "{\"spec\": {\"resources\": {\"requests\": {\"storage\": \"1500Mi\"}}}}");

        assertThatThrownBy(() -> patch(CLAIMS, DATA, "",
                "{\"spec\": {\"resources\": {\"requests\": {\"storage\": \"1Gi\"}}}}")).hasMessageContaining(
                        "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity");
    }

    @Test
    void aVolumeShowsSinceWhenItIsInItsPhase() {
        volume("hostPath: {path: /data}");
        String created = since();
        assertThat(created).isNotEmpty();

        cluster.clock.advance(Duration.ofMinutes(5));
        patch(VOLUMES, DISK, "status", "{\"status\": {\"message\": \"nothing new\"}}");
        assertThat(since()).isEqualTo(created);
        patch(VOLUMES, DISK, "status", "{\"status\": {\"phase\": \"Available\"}}");
        assertThat(since()).isGreaterThan(created);
    }

    private String since() {
        return cluster.json(VOLUMES, DISK).at("/status/lastPhaseTransitionTime").asString();
    }

    @Test
    void theSourceOfAVolumeDoesNotChange() {
        volume("hostPath: {path: /data}");

        assertThatThrownBy(() -> cluster.edit(VOLUMES, V1PersistentVolume.class, DISK,
                volume -> volume.getSpec().getHostPath().setPath("/other")))
                .hasMessageContaining("spec.persistentvolumesource is immutable after creation");
    }
}

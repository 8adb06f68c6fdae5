package dev.wheelhouse.volumes;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import io.kubernetes.client.openapi.models.V1AWSElasticBlockStoreVolumeSource;
import io.kubernetes.client.openapi.models.V1AzureDiskVolumeSource;
import io.kubernetes.client.openapi.models.V1AzureFilePersistentVolumeSource;
import io.kubernetes.client.openapi.models.V1GCEPersistentDiskVolumeSource;
import io.kubernetes.client.openapi.models.V1HostPathVolumeSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeSpec;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VsphereVirtualDiskVolumeSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The recorded scenarios {@code attach/replaced} and {@code attach/replaced-in-pods} have the common cases. */
class CsiMigrationTest {
    @ParameterizedTest
    @CsvSource({"vol-1,vol-1", "aws://us-east-1a/vol-1/,vol-1", "aws:///vol-1,vol-1", "aws://us-east-1a/disk-1,",
            "aws://us-east-1a/vol-1/x,", "aws://us-east-1a,", "aws://us east/vol-1,", "anything,anything"})
    void disksOfAwsHaveIdsWithAndWithoutZones(String id, @Nullable String handle) {
        V1PersistentVolumeSpec spec = new V1PersistentVolumeSpec()
                .awsElasticBlockStore(new V1AWSElasticBlockStoreVolumeSource().volumeID(id));
        assertThat(handle(volume(Map.of(), spec))).isEqualTo(handle);
    }

    @ParameterizedTest
    @CsvSource({"'',zones/UNSPECIFIED", "us-east1-b,zones/us-east1-b", "us-east1-b__us-east1-c,regions/us-east1",
            "us-east1-b__us-west1-c,", "us-east1-b__east,", "odd,zones/odd"})
    void disksOfGoogleAreInZonesOrRegions(String label, @Nullable String place) {
        Map<String, String> labels = label.isEmpty() ? Map.of() : Map.of("topology.kubernetes.io/zone", label);
        assertThat(handle(volume(labels, google("ReadWriteOnce"))))
                .isEqualTo(place == null ? null : "projects/UNSPECIFIED/" + place + "/disks/disk");
    }

    @ParameterizedTest
    @CsvSource({"ReadWriteMany,ReadWriteOnce", "ReadOnlyMany,ReadOnlyMany", "ReadWriteOncePod,ReadWriteOnce",
            "ReadOnlyMany ReadWriteOnce,ReadWriteOnce", "ReadOnlyMany ReadWriteMany,ReadWriteOnce"})
    void disksOfGoogleHaveOneAccessMode(String modes, String mode) {
        V1PersistentVolume csi = CsiMigration.asCsi(volume(Map.of(), google(modes.split(" "))));
        assertThat(csi).isNotNull();
        assertThat(csi.getSpec().getAccessModes()).containsExactly(mode);
    }

    @Test
    void disksInAccountsOfAzureHaveNoSuccessor() {
        V1AzureDiskVolumeSource disk = new V1AzureDiskVolumeSource().diskName("a").diskURI("uri").kind("Shared");
        assertThat(handle(volume(Map.of(), new V1PersistentVolumeSpec().azureDisk(disk)))).isNull();
        assertThat(CsiMigration.asCsi(new V1Volume().name("v").azureDisk(disk), "team")).isNull();
        disk.kind("mAnAgEd");
        assertThat(handle(volume(Map.of(), new V1PersistentVolumeSpec().azureDisk(disk)))).isEqualTo("uri");
    }

    @Test
    void sharesOfAzureNeedANamespaceOfTheirSecret() {
        V1PersistentVolumeSpec spec = new V1PersistentVolumeSpec().azureFile(
                new V1AzureFilePersistentVolumeSource().secretName("s").shareName("share"));
        assertThat(handle(volume(Map.of(), spec))).isNull();
        spec.claimRef(new V1ObjectReference().namespace("team"));
        assertThat(handle(volume(Map.of(), spec))).isEqualTo("#s#share#volume#team");
        spec.getAzureFile().secretNamespace("other");
        assertThat(handle(volume(Map.of(), spec))).isEqualTo("#s#share#volume#other");
    }

    @ParameterizedTest
    @CsvSource({"azure-storage-account-acc-secret,acc", "x-azure-storage-account-a-secret-secret-y,a-secret",
            "azure-storage-account--secret,azure-storage-account--secret", "azure-storage-account-a,"
                    + "azure-storage-account-a",
            "-secret-azure-storage-account-,-secret-azure-storage-account-"})
    void theNameOfASecretMayContainTheAccount(String secret, String account) {
        assertThat(share(secret)).isEqualTo("#" + account + "#share#volume#team");
    }

    /** Any user may define such a volume in a pod, and an index of all pods reads it. */
    @Test
    void textsOfAnyLengthAreReadInLinearWork() {
        String slashes = "/".repeat(1_000_000);
        assertThat(handle(volume(Map.of(), new V1PersistentVolumeSpec().awsElasticBlockStore(
                new V1AWSElasticBlockStoreVolumeSource().volumeID("aws://zone/a" + slashes + "b"))))).isNull();
        String secret = "azure-storage-account-".repeat(50_000);
        assertThat(share(secret)).isEqualTo("#" + secret + "#share#volume#team");
    }

    private static @Nullable String share(String secret) {
        return handle(volume(Map.of(), new V1PersistentVolumeSpec().azureFile(new V1AzureFilePersistentVolumeSource()
                .secretName(secret).shareName("share").secretNamespace("team"))));
    }

    /** Upstream's own translation fails here by a null pointer. */
    @Test
    void aPolicyOfVsphereIsKept() {
        V1PersistentVolume csi = CsiMigration.asCsi(new V1Volume().name("v").vsphereVolume(
                new V1VsphereVirtualDiskVolumeSource().volumePath("[a] b").storagePolicyName("gold")), "team");
        assertThat(csi).isNotNull();
        assertThat(csi.getSpec().getCsi().getVolumeAttributes())
                .containsExactly(Map.entry("storagepolicyname", "gold"));
    }

    @Test
    void otherVolumesStay() {
        V1PersistentVolume local = volume(Map.of(), new V1PersistentVolumeSpec()
                .hostPath(new V1HostPathVolumeSource().path("/tmp/a")));
        assertThat(CsiMigration.asCsi(local)).isSameAs(local);
        assertThat(CsiMigration.driverOf(local)).isNull();
        assertThat(CsiMigration.asCsi(new V1Volume().name("v").hostPath(new V1HostPathVolumeSource().path("/a")),
                "team")).isNull();
    }

    private static V1PersistentVolumeSpec google(String... modes) {
        return new V1PersistentVolumeSpec().accessModes(List.of(modes))
                .gcePersistentDisk(new V1GCEPersistentDiskVolumeSource().pdName("disk"));
    }

    private static V1PersistentVolume volume(Map<String, String> labels, V1PersistentVolumeSpec spec) {
        return new V1PersistentVolume().metadata(new V1ObjectMeta().name("volume").labels(labels)).spec(spec);
    }

    private static @Nullable String handle(V1PersistentVolume volume) {
        V1PersistentVolume csi = CsiMigration.asCsi(volume);
        return csi == null ? null : csi.getSpec().getCsi().getVolumeHandle();
    }
}

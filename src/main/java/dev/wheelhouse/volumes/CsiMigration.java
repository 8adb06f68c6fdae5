package dev.wheelhouse.volumes;

import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1AWSElasticBlockStoreVolumeSource;
import io.kubernetes.client.openapi.models.V1AzureDiskVolumeSource;
import io.kubernetes.client.openapi.models.V1AzureFilePersistentVolumeSource;
import io.kubernetes.client.openapi.models.V1AzureFileVolumeSource;
import io.kubernetes.client.openapi.models.V1CSIPersistentVolumeSource;
import io.kubernetes.client.openapi.models.V1CinderVolumeSource;
import io.kubernetes.client.openapi.models.V1GCEPersistentDiskVolumeSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolume;
import io.kubernetes.client.openapi.models.V1PersistentVolumeSpec;
import io.kubernetes.client.openapi.models.V1PortworxVolumeSource;
import io.kubernetes.client.openapi.models.V1SecretReference;
import io.kubernetes.client.openapi.models.V1Volume;
import io.kubernetes.client.openapi.models.V1VsphereVirtualDiskVolumeSource;

import dev.wheelhouse.api.Metadata;

import static dev.wheelhouse.api.Absent.orEmpty;
import static dev.wheelhouse.api.Absent.orZero;

/**
 * The CSI migration of in-tree volumes: the in-tree drivers that CSI drivers have replaced, and their volumes as
 * volumes of the CSI drivers (upstream: {@code csi-translation-lib}, {@code pkg/volume/csimigration}). Pure functions.
 */
public final class CsiMigration {
    private static final String AWS = "kubernetes.io/aws-ebs";
    private static final String AZURE_DISK = "kubernetes.io/azure-disk";
    private static final String AZURE_FILE = "kubernetes.io/azure-file";
    private static final String CINDER = "kubernetes.io/cinder";
    private static final String GCE = "kubernetes.io/gce-pd";
    private static final String PORTWORX = "kubernetes.io/portworx-volume";
    private static final String VSPHERE = "kubernetes.io/vsphere-volume";
    private static final Map<String, String> SUCCESSORS = Map.of(
            AWS, "ebs.csi.aws.com",
            AZURE_DISK, "disk.csi.azure.com",
            AZURE_FILE, "file.csi.azure.com",
            CINDER, "cinder.csi.openstack.org",
            GCE, "pd.csi.storage.gke.io",
            PORTWORX, "pxd.portworx.com",
            VSPHERE, "csi.vsphere.vmware.com");

    private static final String BEFORE_ACCOUNT = "azure-storage-account-";
    private static final String AFTER_ACCOUNT = "-secret";
    private static final String AZURE_GROUP = "kubernetes.io/azure-file-resource-group";
    private static final String BETA_ZONE = "failure-domain.beta.kubernetes.io/zone";
    private static final String ZONE = "topology.kubernetes.io/zone";

    private CsiMigration() {}

    /** The driver that does the work of the named one: its successor, or itself. */
    public static String successorOf(String driver) {
        return SUCCESSORS.getOrDefault(driver, driver);
    }

    /** The replaced driver of a volume; null for any other volume. */
    public static @Nullable String driverOf(V1PersistentVolume volume) {
        V1PersistentVolumeSpec spec = volume.getSpec();
        return Stream.of(new Source(AWS, spec.getAwsElasticBlockStore()), new Source(GCE, spec.getGcePersistentDisk()),
                new Source(AZURE_DISK, spec.getAzureDisk()), new Source(AZURE_FILE, spec.getAzureFile()),
                new Source(CINDER, spec.getCinder()), new Source(PORTWORX, spec.getPortworxVolume()),
                new Source(VSPHERE, spec.getVsphereVolume()))
                .filter(source -> source.field() != null).map(Source::driver).findFirst().orElse(null);
    }

    private record Source(String driver, @Nullable Object field) {}

    /**
     * A volume of a replaced driver as one of the successor, with the driver, the handle and the access modes.
     *
     * @return the volume itself if its driver is not replaced; null if the successor has no such volume
     */
    public static @Nullable V1PersistentVolume asCsi(V1PersistentVolume volume) {
        String driver = volume.getSpec().getCsi() == null ? driverOf(volume) : null;
        if (driver == null) {
            return volume;
        }
        String handle = handle(driver, volume);
        List<String> modes = volume.getSpec().getAccessModes();
        return handle == null
                ? null
                : new V1PersistentVolume().metadata(volume.getMetadata()).spec(new V1PersistentVolumeSpec()
                        .accessModes(driver.equals(GCE) ? narrowed(modes) : modes)
                        .csi(new V1CSIPersistentVolumeSource().driver(successorOf(driver)).volumeHandle(handle)));
    }

    private static @Nullable String handle(String driver, V1PersistentVolume volume) {
        V1PersistentVolumeSpec spec = volume.getSpec();
        return switch (driver) {
            case AWS -> awsHandle(spec.getAwsElasticBlockStore());
            case GCE -> gceHandle(volume, spec.getGcePersistentDisk());
            case AZURE_DISK -> azureHandle(spec.getAzureDisk());
            case AZURE_FILE -> azureHandle(volume, spec.getAzureFile());
            case CINDER -> spec.getCinder().getVolumeID();
            case PORTWORX -> spec.getPortworxVolume().getVolumeID();
            default -> spec.getVsphereVolume().getVolumePath();
        };
    }

    /**
     * A volume that a pod defines by a replaced driver, as a PersistentVolume of the successor. VolumeAttachments get
     * its whole spec.
     *
     * @return null if its driver is not replaced, or the successor has no such volume
     */
    public static @Nullable V1PersistentVolume asCsi(V1Volume volume, String namespace) {
        if (volume.getAwsElasticBlockStore() != null) {
            V1AWSElasticBlockStoreVolumeSource source = volume.getAwsElasticBlockStore();
            int partition = orZero(source.getPartition());
            return defined(AWS, awsHandle(source), "ReadWriteOnce", source.getReadOnly(), source.getFsType(),
                    Map.of("partition", String.valueOf(partition)));
        }
        if (volume.getGcePersistentDisk() != null) {
            V1GCEPersistentDiskVolumeSource source = volume.getGcePersistentDisk();
            int partition = orZero(source.getPartition());
            V1PersistentVolume defined = defined(GCE, gceHandle("zones", "UNSPECIFIED", source),
                    mode(source.getReadOnly()),
                    source.getReadOnly(), source.getFsType(),
                    Map.of("partition", partition == 0 ? "" : String.valueOf(partition)));
            return named(defined, successorOf(GCE) + "-" + source.getPdName());
        }
        if (volume.getAzureDisk() != null) {
            V1AzureDiskVolumeSource source = volume.getAzureDisk();
            Map<String, String> attributes = new TreeMap<>(Map.of("kind", "Managed"));
            if (source.getCachingMode() != null && !source.getCachingMode().isEmpty()) {
                attributes.put("cachingmode", source.getCachingMode());
            }
            if (source.getFsType() != null) {
                attributes.put("fstype", source.getFsType());
            }
            return named(defined(AZURE_DISK, azureHandle(source), "ReadWriteOnce", source.getReadOnly(),
                    source.getFsType(), attributes), source.getDiskURI());
        }
        if (volume.getAzureFile() != null) {
            V1AzureFileVolumeSource source = volume.getAzureFile();
            String handle = azureHandle("", source.getSecretName(), source.getShareName(), volume.getName(), namespace);
            V1PersistentVolume defined = defined(AZURE_FILE, handle, "ReadWriteMany", source.getReadOnly(), null,
                    Map.of("sharename", source.getShareName()));
            if (defined != null) {
                defined.getSpec().getCsi().nodeStageSecretRef(
                        new V1SecretReference().name(source.getSecretName()).namespace(namespace));
            }
            return named(defined, handle);
        }
        if (volume.getCinder() != null) {
            V1CinderVolumeSource source = volume.getCinder();
            return defined(CINDER, source.getVolumeID(), "ReadWriteOnce", source.getReadOnly(), source.getFsType(),
                    Map.of());
        }
        if (volume.getPortworxVolume() != null) {
            V1PortworxVolumeSource source = volume.getPortworxVolume();
            return defined(PORTWORX, source.getVolumeID(), mode(source.getReadOnly()), false, source.getFsType(),
                    Map.of());
        }
        V1VsphereVirtualDiskVolumeSource source = volume.getVsphereVolume();
        return source == null
                ? null
                : defined(VSPHERE, source.getVolumePath(), "ReadWriteOnce", false, source.getFsType(),
                        source.getStoragePolicyName() == null
                                ? Map.of()
                                : Map.of("storagepolicyname", source.getStoragePolicyName()));
    }

    private static @Nullable V1PersistentVolume defined(String driver, @Nullable String handle, String mode,
            @Nullable Boolean readOnly, @Nullable String fsType, Map<String, String> attributes) {
        return handle == null
                ? null
                : new V1PersistentVolume()
                        .metadata(new V1ObjectMeta().name(successorOf(driver) + "-" + handle))
                        .spec(new V1PersistentVolumeSpec().accessModes(List.of(mode)).volumeMode("Filesystem")
                                .csi(new V1CSIPersistentVolumeSource().driver(successorOf(driver)).volumeHandle(handle)
                                        .readOnly(Boolean.TRUE.equals(readOnly) ? true : null)
                                        .fsType(fsType == null || fsType.isEmpty() ? null : fsType)
                                        .volumeAttributes(attributes.isEmpty() ? null : attributes)));
    }

    private static @Nullable V1PersistentVolume named(@Nullable V1PersistentVolume volume, String name) {
        return volume == null ? null : volume.metadata(new V1ObjectMeta().name(name));
    }

    private static String mode(@Nullable Boolean readOnly) {
        return Boolean.TRUE.equals(readOnly) ? "ReadOnlyMany" : "ReadWriteOnce";
    }

    /** The ID of a disk: bare, or after its zone in {@code aws://ZONE/ID}; null if it is none. */
    private static @Nullable String awsHandle(V1AWSElasticBlockStoreVolumeSource source) {
        String id = source.getVolumeID();
        if (!id.startsWith("aws://")) {
            return id;
        }
        try {
            String bare = withoutSlashes(orEmpty(URI.create(id).getPath()));
            return bare.startsWith("vol-") && bare.indexOf('/') < 0 ? bare : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Users choose the text, so the slashes around it are removed in linear work. */
    private static String withoutSlashes(String path) {
        int from = 0;
        int to = path.length();
        while (from < to && path.charAt(from) == '/') {
            from++;
        }
        while (to > from && path.charAt(to - 1) == '/') {
            to--;
        }
        return path.substring(from, to);
    }

    private static @Nullable String gceHandle(V1PersistentVolume volume, V1GCEPersistentDiskVolumeSource source) {
        Map<String, String> labels = orEmpty(volume.getMetadata().getLabels());
        String beta = labels.getOrDefault(BETA_ZONE, "");
        String label = beta.isEmpty() ? labels.getOrDefault(ZONE, "") : beta;
        List<String> zones = List.of(label.split("__", -1));
        if (zones.size() == 1) {
            return gceHandle("zones", label.isEmpty() ? "UNSPECIFIED" : label, source);
        }
        Set<String> regions = new LinkedHashSet<>();
        for (String zone : zones) {
            if (zone.chars().filter(c -> c == '-').count() != 2) {
                return null;
            }
            regions.add(zone.substring(0, zone.lastIndexOf('-')));
        }
        return regions.size() == 1 ? gceHandle("regions", regions.iterator().next(), source) : null;
    }

    private static String gceHandle(String kind, String place, V1GCEPersistentDiskVolumeSource source) {
        return "projects/UNSPECIFIED/" + kind + "/" + place + "/disks/" + source.getPdName();
    }

    /** The access modes that the successor knows: it has no disk that several nodes write, and none with both modes. */
    private static @Nullable List<String> narrowed(@Nullable List<String> modes) {
        return modes == null
                ? null
                : List.of(mode(modes.contains("ReadOnlyMany") && !modes.contains("ReadWriteOnce")
                        && !modes.contains("ReadWriteMany")));
    }

    /** Disks in accounts of storage have no successor. */
    private static @Nullable String azureHandle(V1AzureDiskVolumeSource source) {
        return source.getKind() == null || source.getKind().equalsIgnoreCase("managed")
                ? source.getDiskURI()
                : null;
    }

    private static @Nullable String azureHandle(V1PersistentVolume volume, V1AzureFilePersistentVolumeSource source) {
        String namespace = source.getSecretNamespace() != null
                ? source.getSecretNamespace()
                : volume.getSpec().getClaimRef() == null
                        ? ""
                        : orEmpty(volume.getSpec().getClaimRef().getNamespace());
        String group = orEmpty(Metadata.annotation(volume, AZURE_GROUP));
        return namespace.isEmpty()
                ? null
                : azureHandle(group, source.getSecretName(), source.getShareName(),
                        String.valueOf(volume.getMetadata().getName()), namespace);
    }

    private static String azureHandle(String group, String secret, String share, String volume, String namespace) {
        return String.join("#", group, account(secret), share, volume, namespace);
    }

    /** The account that the name of a Secret contains, as provisioners write it; otherwise the whole name. */
    private static String account(String secret) {
        int before = secret.indexOf(BEFORE_ACCOUNT);
        int from = before + BEFORE_ACCOUNT.length();
        int to = secret.lastIndexOf(AFTER_ACCOUNT);
        return before < 0 || to <= from ? secret : secret.substring(from, to);
    }
}

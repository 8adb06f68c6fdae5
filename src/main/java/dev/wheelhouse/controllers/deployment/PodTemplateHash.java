package dev.wheelhouse.controllers.deployment;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1PodTemplateSpec;

import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controllers.history.ControllerRevisions;

/**
 * The hash in the names of a Deployment's ReplicaSets: 32-bit FNV-1a over the template's canonical JSON and the
 * collision count. The hash of a template never changes. It differs from the hash of kube-controller-manager, which
 * depends on how Go prints a struct (upstream: {@code controller.ComputeHash}).
 */
final class PodTemplateHash {
    static final int OFFSET_BASIS = 0x811c9dc5;
    private static final int PRIME = 16777619;

    private static final int MAX_NAME_LENGTH = 253;

    private PodTemplateHash() {}

    /** @param collisionCount how often another ReplicaSet had the name; null for never */
    static String of(V1PodTemplateSpec template, @Nullable Integer collisionCount) {
        String json = ModelJson.write(PodTemplates.canonical(template));
        int hash = fnv(OFFSET_BASIS, json.getBytes(StandardCharsets.UTF_8));
        if (collisionCount != null) {
            int n = collisionCount;
            hash = fnv(hash, new byte[]{(byte) n, (byte) (n >> 8), (byte) (n >> 16), (byte) (n >> 24), 0, 0, 0, 0});
        }
        return ControllerRevisions.safeEncode(Integer.toUnsignedString(hash));
    }

    /** The name {@code <deployment>-<hash>}. The Deployment's name is shortened if the result would be too long. */
    static String replicaSetName(String deployment, String hash) {
        int room = MAX_NAME_LENGTH - 1 - hash.length();
        return (deployment.length() > room ? deployment.substring(0, room) : deployment) + "-" + hash;
    }

    static int fnv(int hash, byte[] bytes) {
        for (byte b : bytes) {
            hash = (hash ^ (b & 0xff)) * PRIME;
        }
        return hash;
    }
}

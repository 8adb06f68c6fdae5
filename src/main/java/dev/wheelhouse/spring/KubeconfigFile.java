package dev.wheelhouse.spring;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.VersionApi;

import dev.wheelhouse.client.http.KubeConfigException;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.PrivateFiles;

/** Writes the kubeconfig by which kubectl, helm and other clients reach the embedded API server. */
final class KubeconfigFile {
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private KubeconfigFile() {}

    /**
     * Writes the file atomically. Only its owner may read it, because it may hold a token. If the file is the default
     * one and its directory is not writable, a new directory for temporary files takes it.
     *
     * @param server the URL of the server in the content
     * @return the file's absolute path
     * @throws BadOption if the file cannot be written, or if it is the kubeconfig of another server that answers
     */
    static Path write(String file, String content, String server, Clock clock) {
        Path target = Path.of(file).toAbsolutePath().normalize();
        try {
            Path directory = target.getParent();
            if (directory == null) {
                throw new BadOption("wheelhouse.apiserver.kubeconfig is \"" + file + "\": it must be a file");
            }
            if (file.equals(ApiServerProperties.KUBECONFIG) && !Files.isWritable(directory)) {
                directory = Files.createTempDirectory("wheelhouse");
                target = directory.resolve(file);
            }
            refuseIfInUse(target, server, clock);
            PrivateFiles.createDirectories(directory);
            PrivateFiles.write(target, content.getBytes(StandardCharsets.UTF_8));
            return target;
        } catch (IOException e) {
            throw new BadOption("the kubeconfig cannot be written to " + target + " (" + e
                    + "): choose another file with --wheelhouse.apiserver.kubeconfig=FILE");
        }
    }

    private static boolean answers(ApiClient api) {
        try {
            new VersionApi(api).getCode().execute();
            return true;
        } catch (ApiException e) {
            return e.getCode() == 401 || e.getCode() == 403;
        }
    }

    private static void refuseIfInUse(Path target, String server, Clock clock) {
        if (!Files.exists(target)) {
            return;
        }
        try {
            ApiClient api = new KubeConfigs(clock).fromFile(target, null).api();
            if (api.getBasePath().equals(server)) {
                return;
            }
            api.setHttpClient(api.getHttpClient().newBuilder().callTimeout(PATIENCE).build());
            if (answers(api)) {
                throw new BadOption("the kubeconfig " + target + " belongs to the API server at " + api.getBasePath()
                        + ", which is running: end that server, or choose another file with"
                        + " --wheelhouse.apiserver.kubeconfig=FILE");
            }
        } catch (KubeConfigException e) {
            // The old file leads to no server, so it may be overwritten.
        }
    }
}

package dev.wheelhouse.spring;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import dev.wheelhouse.runtime.PrivateFiles;

/** Writes the kubeconfig by which kubectl, helm and other clients reach the embedded API server. */
final class KubeconfigFile {
    private KubeconfigFile() {}

    /**
     * Writes the file atomically. Only its owner may read it, because it may hold a token.
     *
     * @return the file's absolute path
     * @throws BadOption if the file cannot be written
     */
    static Path write(String file, String content) {
        Path target = Path.of(file).toAbsolutePath().normalize();
        try {
            Path directory = target.getParent();
            if (directory == null) {
                throw new BadOption("wheelhouse.apiserver.kubeconfig is \"" + file + "\": it must be a file");
            }
            PrivateFiles.createDirectories(directory);
            PrivateFiles.write(target, content.getBytes(StandardCharsets.UTF_8));
            return target;
        } catch (IOException e) {
            throw new BadOption("the kubeconfig cannot be written to " + target + " (" + e
                    + "): choose another file with --wheelhouse.apiserver.kubeconfig=FILE");
        }
    }
}

package com.example.website;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.operator.Manifests;

class WebsiteManifestsTest {
    /** The definition from the class, the roles from {@link WebsiteOperator#setup}, and a Deployment. */
    @Test
    void theFileForTheClusterIsCurrent() throws IOException {
        assertEquals(Manifests.of(new WebsiteOperator()).namespace("websites").image("example.com/website-operator:1.0")
                .yaml(), Files.readString(Path.of("deploy/website-operator.yaml")));
    }
}

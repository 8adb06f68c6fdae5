package dev.wheelhouse.facts;

import java.util.Map;

import org.junit.jupiter.api.Test;

import dev.wheelhouse.runtime.Resources;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

class DescriptionsTest {
    @Test
    void eachDescriptionIsOfATypeOrAFieldThatThereIs() {
        Resources.text(Schemas.class, "descriptions.tsv").lines().map(line -> line.split("\t", 3))
                .filter(columns -> !columns[0].equals("*")).forEach(columns -> {
                    TypeSchema type = requireNonNull(Schemas.ofName(columns[0]), columns[0]);
                    assertThat(columns[1].equals("-") || type.field(columns[1]) != null)
                            .as(columns[0] + "." + columns[1]).isTrue();
                });
    }

    @Test
    void aKindsFieldsThatAllKindsHaveAreDescribedToo() {
        Map<String, String> texts = of("io.k8s.api.rbac.v1.ClusterRole");

        assertThat(texts.get("apiVersion")).startsWith("APIVersion defines");
        assertThat(of("io.k8s.api.rbac.v1.PolicyRule")).doesNotContainKey("apiVersion");
    }

    @Test
    void aKindsOwnTextComesBeforeTheOneOfAllKinds() {
        assertThat(of("io.k8s.api.apps.v1.StatefulSet").get("spec")).startsWith("How many pods run");
        assertThat(of("io.k8s.api.apps.v1.DaemonSet").get("spec")).isEqualTo("What is wanted.");
    }

    private static Map<String, String> of(String typeName) {
        return Descriptions.of(requireNonNull(Schemas.ofName(typeName)));
    }
}

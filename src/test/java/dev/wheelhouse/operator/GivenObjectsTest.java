package dev.wheelhouse.operator;

import org.junit.jupiter.api.Test;

import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.api.Unstructured;
import dev.wheelhouse.client.ModelJson;

import static org.assertj.core.api.Assertions.assertThat;

class GivenObjectsTest {
    @Test
    void aDecisionIsGivenCopiesSortedByName() {
        V1ConfigMap second = new V1ConfigMap().metadata(new V1ObjectMeta().name("b"));
        V1ConfigMap first = new V1ConfigMap().metadata(new V1ObjectMeta().name("a"));
        Related related = Related.of(second, new V1Secret().metadata(new V1ObjectMeta().name("a")), first);
        assertThat(related.all(V1ConfigMap.class)).containsExactly(first, second);
        related.named(V1ConfigMap.class, "a").orElseThrow().putDataItem("changed", "");
        assertThat(first.getData()).isNullOrEmpty();
        assertThat(related.named(V1ConfigMap.class, "c")).isEmpty();
    }

    @Test
    void objectsWithoutAClassAreFoundByTheirKind() {
        KubernetesObject page = ModelJson.read("""
                {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "page"}}""", Unstructured.class);
        assertThat(Related.of(page).all(ResourceType.CONFIG_MAPS)).hasToString("[ConfigMap null/page]");
        assertThat(Related.of(page).all(ResourceType.SECRETS)).isEmpty();
    }
}

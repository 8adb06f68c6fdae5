package dev.wheelhouse.apiserver.kinds;

import java.util.Locale;
import java.util.Map;

import dev.wheelhouse.apiserver.table.Item;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.Rules.Check;
import dev.wheelhouse.apiserver.validation.Subject;

/** Storage classes (upstream: {@code pkg/registry/storage/storageclass}). */
final class StorageClassStrategy extends Strategy {
    StorageClassStrategy() {
        super("storage.k8s.io", "StorageClass",
                Map.of("nameOrDefault", o -> o.name() + (isDefault(o) ? " (default)" : "")));
    }

    private static boolean isDefault(Item storageClass) {
        Item annotations = storageClass.part("metadata", "annotations");
        return annotations.text("storageclass.kubernetes.io/is-default-class").equals("true")
                || annotations.text("storageclass.beta.kubernetes.io/is-default-class").equals("true");
    }

    @Override
    protected void addChecks(Map<String, Check> checks) {
        checks.put("provisioner", StorageClassStrategy::provisioner);
        checks.put("uniqueTopology", StorageClassStrategy::uniqueTopology);
    }

    private static void provisioner(Subject subject) {
        subject.problems().formed(subject.path(), subject.text().toLowerCase(Locale.ROOT), Formats::qualifiedName);
    }

    private static void uniqueTopology(Subject term) {
        if (!term.isNew("terms", term.value())) {
            term.problems().duplicate(term.path(), "\"\"");
        }
    }
}

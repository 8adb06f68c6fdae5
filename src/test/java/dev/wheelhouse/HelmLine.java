package dev.wheelhouse;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.InstallCommand;
import com.marcnuri.helm.UpgradeCommand;

import static org.assertj.core.api.Assertions.assertThat;

/** A line of a page that begins with {@code helm}, run by the real Helm. */
final class HelmLine {
    private static final int SECONDS = 240;

    private HelmLine() {}

    private static Object typed(String value) {
        return value.matches("\\d+")
                ? (Object) Integer.valueOf(value)
                : value.matches("true|false") ? Boolean.valueOf(value) : value;
    }

    /** A list, {@code name={a,b}}, is set by its indices, because the library takes braces for text. */
    private static void add(String assignment, List<String[]> values) {
        String[] both = assignment.split("=", 2);
        if (!both[1].startsWith("{")) {
            values.add(both);
            return;
        }
        String[] items = both[1].substring(1, both[1].length() - 1).split(",", -1);
        for (int i = 0; i < items.length; i++) {
            values.add(new String[]{both[0] + "[" + i + "]", items[i]});
        }
    }

    /** Runs {@code helm install}, {@code upgrade} or {@code uninstall}. */
    static void run(String line, Path kubeconfig) {
        Iterator<String> words = List.of(line.split(" +")).iterator();
        assertThat(words.next()).isEqualTo("helm");
        String verb = words.next();
        String release = words.next();
        String chart = verb.equals("uninstall") ? "" : words.next();
        String namespace = "default";
        List<String> flags = new ArrayList<>();
        List<String[]> values = new ArrayList<>();
        while (words.hasNext()) {
            String word = words.next();
            if (word.equals("--namespace")) {
                namespace = words.next();
            } else if (word.equals("--set")) {
                add(words.next().replace("'", ""), values);
            } else {
                flags.add(word);
            }
        }
        switch (verb) {
            case "install" -> {
                assertThat(flags).containsExactly("--create-namespace", "--wait");
                InstallCommand install = new Helm(Path.of(chart)).install().withName(release)
                        .withNamespace(namespace).createNamespace().withKubeConfig(kubeconfig).waitReady()
                        .withTimeout(SECONDS);
                values.forEach(value -> install.set(value[0], typed(value[1])));
                assertThat(install.call().getStatus()).isEqualTo("deployed");
            }
            case "upgrade" -> {
                assertThat(flags).containsExactly("--reuse-values", flags.getLast()).last().isIn("--wait", "--atomic");
                UpgradeCommand upgrade = new Helm(Path.of(chart)).upgrade().withName(release)
                        .withNamespace(namespace).reuseValues().withKubeConfig(kubeconfig).withTimeout(SECONDS);
                values.forEach(value -> upgrade.set(value[0], typed(value[1])));
                assertThat((flags.contains("--atomic") ? upgrade.atomic() : upgrade.waitReady()).call().getStatus())
                        .isEqualTo("deployed");
            }
            case "uninstall" -> Helm.uninstall(release).withNamespace(namespace).withKubeConfig(kubeconfig).call();
            default -> throw new IllegalArgumentException("no such line of Helm: " + line);
        }
    }
}

package dev.wheelhouse;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.InstallCommand;
import com.marcnuri.helm.UpgradeCommand;

import static org.assertj.core.api.Assertions.assertThat;

/** The real Helm as a program, for the commands of pages. */
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

    /** Runs {@code helm install}, {@code upgrade}, {@code test} or {@code uninstall}, as kubectl's user. */
    public static void main(String... args) {
        String kubeconfigs = System.getenv("KUBECONFIG");
        Path kubeconfig = kubeconfigs == null
                ? Path.of(System.getenv("HOME"), ".kube", "config")
                : Path.of(kubeconfigs);
        Iterator<String> words = List.of(args).iterator();
        String verb = words.next();
        String release = words.next();
        String chart = verb.matches("test|uninstall") ? "" : words.next();
        String namespace = "default";
        List<String> flags = new ArrayList<>();
        List<String[]> values = new ArrayList<>();
        while (words.hasNext()) {
            String word = words.next();
            if (word.equals("--namespace")) {
                namespace = words.next();
            } else if (word.equals("--set")) {
                add(words.next(), values);
            } else {
                flags.add(word);
            }
        }
        switch (verb) {
            case "install" -> {
                assertThat(List.of("--create-namespace", "--wait")).containsAll(flags).startsWith("--create-namespace");
                InstallCommand install = new Helm(Path.of(chart)).install().withName(release)
                        .withNamespace(namespace).createNamespace().withKubeConfig(kubeconfig).withTimeout(SECONDS);
                if (flags.contains("--wait")) {
                    install.waitReady();
                }
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
            case "test" -> assertThat(Helm.test(release).withNamespace(namespace).withKubeConfig(kubeconfig)
                    .withTimeout(SECONDS).call().getStatus()).isEqualTo("deployed");
            case "uninstall" -> Helm.uninstall(release).withNamespace(namespace).withKubeConfig(kubeconfig).call();
            default -> throw new IllegalArgumentException("this command of Helm is not typed: " + verb);
        }
        System.out.println(verb + " of " + release + " is done");
    }
}

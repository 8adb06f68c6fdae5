package dev.wheelhouse;

import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;

import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.runtime.Clock;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/** The packages' arrows, as docs/architecture.md draws them, and the rules of style that a compiler does not know. */
class ArchitectureTest {
    /** What each package may use directly; it may use as well what those may use. */
    private static final Map<String, Set<String>> MAY_USE = Map.ofEntries(Map.entry("runtime", Set.of()),
            Map.entry("api", Set.of()), Map.entry("facts", Set.of("api", "runtime")),
            Map.entry("client", Set.of("api", "runtime")), Map.entry("client.decode", Set.of("client")),
            Map.entry("client.http", Set.of("client.decode")), Map.entry("workqueue", Set.of("api", "runtime")),
            Map.entry("informer", Set.of("client", "api", "runtime")), Map.entry("event", Set.of("client", "runtime")),
            Map.entry("election", Set.of("client", "runtime")),
            Map.entry("controller", Set.of("informer", "workqueue", "event", "facts")),
            Map.entry("controllers", Set.of("controller")),
            Map.entry("podconfig", Set.of("informer", "event")),
            Map.entry("node", Set.of("podconfig", "workqueue", "facts")),
            Map.entry("apiserver.work", Set.of("runtime")), Map.entry("apiserver.json", Set.of("apiserver.work")),
            Map.entry("apiserver.store", Set.of("apiserver.json", "api")),
            Map.entry("apiserver.auth", Set.of("apiserver.store", "client")),
            Map.entry("apiserver.cel", Set.of("apiserver.json")),
            Map.entry("apiserver.error", Set.of("apiserver.auth")),
            Map.entry("apiserver.schema", Set.of("apiserver.json", "facts")),
            Map.entry("apiserver.validation", Set.of("apiserver.error", "facts")),
            Map.entry("apiserver.resources", Set.of("apiserver.schema", "apiserver.validation", "apiserver.cel")),
            Map.entry("apiserver.codec", Set.of("apiserver.error", "facts")),
            Map.entry("apiserver.patch", Set.of("apiserver.resources")),
            Map.entry("apiserver.table", Set.of("apiserver.resources")),
            Map.entry("apiserver.discovery", Set.of("apiserver.resources")),
            Map.entry("apiserver.kinds", Set.of("apiserver.resources", "apiserver.table")),
            Map.entry("apiserver.protocol", Set.of("apiserver.kinds", "apiserver.codec")),
            Map.entry("apiserver.admission", Set.of("apiserver.protocol", "apiserver.patch")),
            Map.entry("apiserver.rest", Set.of("apiserver.admission", "apiserver.discovery")),
            Map.entry("apiserver", Set.of("apiserver.rest", "client")),
            Map.entry("scheduler", Set.of("controller")),
            Map.entry("manager", Set.of("controllers", "election")), Map.entry("embedded", Set.of("node", "scheduler")),
            Map.entry("testing", Set.of("apiserver", "client.http", "manager", "embedded")),
            Map.entry("spring", Set.of("apiserver", "client.http", "manager", "embedded")),
            Map.entry("", Set.of("spring")));

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("dev.wheelhouse");
    }

    @Test
    void packagesUseOnlyWhatTheArchitectureAllows() {
        Map<String, Set<String>> violations = new TreeMap<>();
        for (JavaClass from : classes) {
            String user = packageOf(from);
            assertThat(MAY_USE).as("the package of %s has no place in the architecture", from.getName())
                    .containsKey(user);
            Set<String> allowed = reachable(user);
            from.getDirectDependenciesFromSelf().forEach(dependency -> {
                JavaClass to = dependency.getTargetClass();
                if (to.getPackageName().startsWith("dev.wheelhouse") && !allowed.contains(packageOf(to))) {
                    violations.computeIfAbsent(user + " -> " + packageOf(to), k -> new TreeSet<>())
                            .add(dependency.getDescription());
                }
            });
        }
        assertThat(violations).isEmpty();
    }

    @Test
    void controllersDoNotKnowEachOther() {
        Map<String, Set<String>> violations = new TreeMap<>();
        for (JavaClass from : classes) {
            String kind = kindOf(from);
            from.getDirectDependenciesFromSelf().forEach(dependency -> {
                String other = kindOf(dependency.getTargetClass());
                if (!kind.isEmpty() && !other.isEmpty() && !kind.equals(other)) {
                    violations.computeIfAbsent(kind + " -> " + other, k -> new TreeSet<>())
                            .add(dependency.getDescription());
                }
            });
        }
        assertThat(violations).isEmpty();
    }

    @Test
    void onlyTheRuntimePackageReadsTheClock() {
        noClasses().that().resideOutsideOfPackage("dev.wheelhouse.runtime..").should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould().callMethod(System.class, "nanoTime").orShould().callMethod(java.time.Instant.class, "now")
                .check(classes);
    }

    /** To be deleted with the list: the classes of {@code client} that make a clock of their own. */
    private static final String CLIENT = "dev.wheelhouse.client..";

    @Test
    void onlyTheRootsOfAProgramChooseTheSystemsClock() {
        noClasses().that().resideOutsideOfPackages("dev.wheelhouse", "dev.wheelhouse.testing..", CLIENT).and()
                .doNotHaveFullyQualifiedName("dev.wheelhouse.spring.ServiceConfiguration").and()
                .doNotHaveFullyQualifiedName(ApiServerOptions.class.getName()).should()
                .callMethod(Clock.class, "system").check(classes);
    }

    @Test
    void onlyTheMainClassEndsTheProcess() {
        noClasses().that().doNotHaveFullyQualifiedName(WheelhouseApplication.class.getName()).and()
                .doNotHaveFullyQualifiedName(WheelhouseApplication.class.getName() + "$EndWithTheLead").should()
                .callMethod(System.class, "exit", int.class).orShould()
                .callMethod(Runtime.class, "exit", int.class).orShould()
                .callMethod(Runtime.class, "halt", int.class).check(classes);
    }

    @Test
    void onlyTheSpringPackageKnowsSpringAndMicrometer() {
        noClasses().that().resideOutsideOfPackages("dev.wheelhouse.spring..", "dev.wheelhouse").should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework..", "io.micrometer..").check(classes);
    }

    /** The longest name in the table that the class's package begins with. */
    private static String packageOf(JavaClass type) {
        String name = type.getPackageName() + ".";
        return MAY_USE.keySet().stream()
                .filter(box -> name.startsWith("dev.wheelhouse." + (box.isEmpty() ? "" : box + ".")))
                .max(Comparator.comparing(String::length))
                .filter(box -> !box.isEmpty() || name.equals("dev.wheelhouse."))
                .orElse(name);
    }

    private static String kindOf(JavaClass type) {
        String prefix = "dev.wheelhouse.controllers.";
        return type.getPackageName().startsWith(prefix) ? type.getPackageName().substring(prefix.length()) : "";
    }

    private static Set<String> reachable(String user) {
        Set<String> allowed = new TreeSet<>(Set.of(user));
        for (String next : MAY_USE.get(user)) {
            allowed.addAll(reachable(next));
        }
        return allowed;
    }
}

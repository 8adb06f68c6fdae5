package dev.wheelhouse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import io.kubernetes.client.custom.Quantity;

import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.BoundedQuantity;
import dev.wheelhouse.runtime.Clock;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/** The packages' arrows, as docs/architecture.md draws them, and the rules of style that a compiler does not know. */
class ArchitectureTest {
    private static final Pattern ROW = Pattern.compile("\\| `([a-z.]+)` \\|.*\\|([^|]*)\\|");
    private static final Pattern NAME = Pattern.compile("`([a-z.]+)`");
    /**
     * The packages that each package may use directly, as the tour in docs/architecture.md says. It may also use the
     * packages that those may use.
     */
    private static final Map<String, Set<String>> MAY_USE = tour();

    private static JavaClasses classes;

    private static Map<String, Set<String>> tour() {
        Map<String, Set<String>> tour = new TreeMap<>(Map.of("", Set.of("spring")));
        try {
            boolean inTour = false;
            for (String line : Files.readAllLines(Path.of("docs/architecture.md"))) {
                inTour = line.startsWith("## ") ? line.startsWith("## The tour") : inTour;
                Matcher row = ROW.matcher(line);
                if (inTour && row.matches()) {
                    tour.put(row.group(1), NAME.matcher(row.group(2)).results().map(found -> found.group(1))
                            .collect(Collectors.toSet()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return tour;
    }

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter().importPath(Path.of("target/classes"));
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
    void theLibraryReachesNeitherBuiltInControllersNorTheApiServer() throws IOException {
        Matcher library = Pattern.compile("\\*\\*The library\\*\\*(.*?)\\. None", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("docs/architecture.md")));
        assertThat(library.find()).isTrue();
        assertThat(NAME.matcher(library.group(1)).results().map(found -> found.group(1))
                .flatMap(each -> reachable(each).stream()))
                .contains("operator", "informer", "workqueue", "election", "manager")
                .noneMatch(each -> each.startsWith("controllers") || each.startsWith("apiserver"));
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

    @Test
    void onlyTheRootsOfAProgramChooseTheSystemsClock() {
        noClasses().that().resideOutsideOfPackages("dev.wheelhouse", "dev.wheelhouse.testing..").and()
                .doNotHaveFullyQualifiedName("dev.wheelhouse.spring.WheelhouseAutoConfiguration").and()
                .doNotHaveFullyQualifiedName("dev.wheelhouse.operator.Wheelhouse$Builder").and()
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

    /** The models of fabric8 are an optional dependency. */
    @Test
    void onlyItsOwnPackageKnowsFabric8() {
        noClasses().that().resideOutsideOfPackage("dev.wheelhouse.operator.fabric8").should()
                .dependOnClassesThat().resideInAnyPackage("io.fabric8..").check(classes);
    }

    @Test
    void onlyTheSpringPackageKnowsSpring() {
        noClasses().that().resideOutsideOfPackages("dev.wheelhouse.spring..", "dev.wheelhouse").should()
                .dependOnClassesThat().resideInAnyPackage("org.springframework..").check(classes);
    }

    /** A sum with the seconds of a spec may leave the range of an Instant, and then throws in every sync. */
    @Test
    void theSecondsOfObjectsAreAddedToTimesBySumsThatNeverOverflow() {
        noClasses().that().resideInAnyPackage("dev.wheelhouse.controllers..", "dev.wheelhouse.controller..",
                "dev.wheelhouse.scheduler..", "dev.wheelhouse.node..", "dev.wheelhouse.quota..",
                "dev.wheelhouse.embedded..").should()
                .callMethod(java.time.Instant.class, "plusSeconds", long.class).orShould()
                .callMethod(java.time.Instant.class, "minusSeconds", long.class).orShould()
                .callMethod(java.math.BigDecimal.class, "longValueExact").orShould()
                .callMethod(java.math.BigDecimal.class, "intValueExact").orShould()
                .callMethod(Math.class, "addExact", long.class, long.class).orShould()
                .callMethod(Math.class, "multiplyExact", long.class, long.class).orShould()
                .callMethod(Math.class, "toIntExact", long.class).check(classes);
    }

    /** The official client cannot write some of the quantities that it reads, such as 1Ei. */
    @Test
    void quantitiesAreWrittenByTheFormThatKnowsAllOfThem() {
        noClasses().that().areNotAssignableTo(BoundedQuantity.class).should()
                .callMethod(Quantity.class, "toSuffixedString").check(classes);
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

    /** The subpackage of one controller; empty for other packages, such as those that controllers share. */
    private static String kindOf(JavaClass type) {
        String prefix = "dev.wheelhouse.controllers.";
        return type.getPackageName().startsWith(prefix) && packageOf(type).equals("controllers")
                ? type.getPackageName().substring(prefix.length())
                : "";
    }

    @Test
    void theTourLeadsToEveryPackageAndToNoOther() {
        Set<String> packages = new TreeSet<>();
        classes.forEach(type -> packages.add(packageOf(type)));
        assertThat(MAY_USE.keySet()).isEqualTo(packages);
        assertThat(MAY_USE.values()).allSatisfy(used -> assertThat(packages).containsAll(used));
    }

    @Test
    void theVerbsKnowNoKindBecauseTheStrategiesOfKindsAreNotPublic() {
        classes().that().areAssignableTo("dev.wheelhouse.apiserver.kinds.Strategy").and()
                .doNotHaveSimpleName("Strategy").should().bePackagePrivate().check(classes);
    }

    private static Set<String> reachable(String user) {
        Set<String> allowed = new TreeSet<>(Set.of(user));
        for (String next : MAY_USE.get(user)) {
            allowed.addAll(reachable(next));
        }
        return allowed;
    }
}

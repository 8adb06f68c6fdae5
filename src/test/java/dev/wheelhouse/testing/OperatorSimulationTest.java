package dev.wheelhouse.testing;

import java.time.Duration;
import java.util.EnumSet;
import java.util.function.Supplier;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaim;
import io.kubernetes.client.openapi.models.V1PersistentVolumeClaimSpec;
import io.kubernetes.client.openapi.models.V1VolumeResourceRequirements;

import dev.wheelhouse.controller.Result;
import dev.wheelhouse.operator.Context;
import dev.wheelhouse.operator.Operator;
import dev.wheelhouse.operator.Request;
import dev.wheelhouse.operator.Setup;
import dev.wheelhouse.testing.SimulationReport.Finding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A correct operator passes the simulation, and one planted bug of each kind is caught and told as a story. */
@Tag("stepped")
@Tag("full")
class OperatorSimulationTest {
    private static OperatorSimulation simulation(Supplier<? extends Operator<?>> operator) {
        return OperatorSimulation.of(operator).crds(Website.class).start(Website.of("blog", 2, "Hello"));
    }

    private static void scale(User user) {
        user.edit(Website.class, "default", "blog", website -> website.setSpec(
                new Website.Spec(3, website.getSpec().page())));
    }

    private static void changePage(User user) {
        user.edit(Website.class, "default", "blog", website -> website.setSpec(
                new Website.Spec(website.getSpec().replicas(), "Welcome")));
    }

    private static void removePage(User user) {
        user.edit(Website.class, "default", "blog", website -> website.setSpec(
                new Website.Spec(website.getSpec().replicas(), null)));
    }

    /** The only finding of a simulation, or the first. */
    private static Finding finding(OperatorSimulation simulation) {
        SimulationReport report = simulation.seeds(3).explore();
        assertThat(report.findings()).as("findings").isNotEmpty();
        return report.findings().getFirst();
    }

    @Test
    void aCorrectOperatorEndsInTheSameStateWithEveryFaultAtEveryPlace() {
        SimulationReport report = simulation(WebsiteOperator::new).step("scales the website", u -> scale(u))
                .step("removes the page", OperatorSimulationTest::removePage)
                .step("deletes the website", user -> user.delete(Website.class, "default", "blog")).run();

        assertThat(report.writes()).isGreaterThanOrEqualTo(7);
        assertThat(report.runs()).isGreaterThan(100);
        assertThat(report).hasToString(report.runs() + " runs of a scenario with " + report.writes()
                + " writes: nothing found");
    }

    @Test
    void theSameOperatorWrittenByHandPassesToo() {
        simulation(PlantedBugs.ByHand::new).step("scales the website", OperatorSimulationTest::scale).seeds(5).run();
    }

    @Test
    void controllersAndNodesTakePart() {
        SimulationReport report = simulation(WebsiteOperator::new).controllers().nodes(1)
                .without(SimulatedFault.ORDER, SimulatedFault.EXPIRED_WATCH, SimulatedFault.CUT_WATCH,
                        SimulatedFault.LATE_WATCH, SimulatedFault.CONFLICT, SimulatedFault.SERVER_ERROR,
                        SimulatedFault.LOST_REQUEST, SimulatedFault.LOST_ANSWER)
                .run();

        assertThat(report.writes()).as("the operator reports each replica that became ready").isGreaterThan(4);
    }

    @Test
    void severalFaultsInOneRunFindWhatOneDoesNot() {
        OperatorSimulation simulation = simulation(PlantedBugs.GivesUpAtTheSecondFailure::new)
                .without(EnumSet.complementOf(EnumSet.of(SimulatedFault.SERVER_ERROR, SimulatedFault.CONFLICT))
                        .toArray(SimulatedFault[]::new));
        assertThat(simulation.explore().findings()).isEmpty();
        Finding finding = simulation.faultsAtOnce(2).explore().findings().getFirst();
        assertThat(finding.points()).first().asString()
                .matches("(conflict|server-error)-\\d\\+(conflict|server-error)-\\d");
        assertThat(simulation.only(finding.points().getFirst()).explore())
                .hasToString(simulation.explore().toString()).matches(report -> report.runs() == 3);
    }

    @Test
    void anUpgradeInMidRunFindsWhatTheNextVersionTakesForGranted() {
        simulation(WebsiteOperator::new).upgradesTo(WebsiteOperator::new).seeds(0).run();
        Finding finding = simulation(PlantedBugs.ByHand::new).upgradesTo(PlantedBugs.TakesTheFirstObjectForAll::new)
                .seeds(0).explore().findings().getFirst();
        assertThat(finding.points()).first().asString().startsWith("upgrade-");
        assertThat(finding.details()).contains("Service default/blog does not exist; without faults it does");
        assertThat(finding.story()).contains("UPGRADE: the next version replaces website-operator before it can ");
    }

    @Test
    void aSimulationThatIsShortOfTimeSaysWhatItLeftOut() {
        SimulationReport report = simulation(WebsiteOperator::new).within(Duration.ZERO).explore();
        assertThat(report.left()).isGreaterThan(50);
        assertThat(report).hasToString("2 runs of a scenario with " + report.writes() + " writes, and " + report.left()
                + " more that were not made: nothing found");
    }

    @Test
    void theNameOfAProvisionedVolumeMayDiffer() {
        SimulationReport report = simulation(() -> new PlantedBugs.ByHand() {
            @Override
            public void setup(Setup<Website> setup) {
                super.setup(setup);
                setup.owns(V1PersistentVolumeClaim.class);
            }

            @Override
            public Result reconcile(Request<Website> request, Context<Website> context) {
                context.apply(new V1PersistentVolumeClaim().metadata(new V1ObjectMeta().name(request.key().name()))
                        .spec(new V1PersistentVolumeClaimSpec().addAccessModesItem("ReadWriteOnce")
                                .resources(new V1VolumeResourceRequirements().putRequestsItem("storage",
                                        new Quantity("1Gi")))));
                return Result.done();
            }
        }).controllers().nodes(1).only("crash-before-write-1").explore();
        assertThat(report.runs()).isEqualTo(3);
        assertThat(report.findings()).isEmpty();
    }

    @Test
    void anOperatorThatActsOnAStaleReadIsCaught() {
        Finding finding = finding(simulation(PlantedBugs.ActsOnAStaleRead::new).start(Website.of("shop", 1, "Hi"))
                .only("late-watch-1"));

        assertThat(finding.rule()).isEqualTo("website-operator ends in another state after a fault");
        assertThat(finding.details())
                .containsExactly("ConfigMap default/shop: data.port is 30000; without faults it is 30001");
        assertThat(finding.story()).containsSubsequence(
                "website-operator reconciles default/blog; its caches show ",
                "website-operator applies ConfigMap default/blog {\"data\":{\"port\":\"30000\"}} -> version ",
                "LATE WATCH: the watch of configmaps is late from now on; it would tell that ConfigMap default/blog",
                "website-operator reconciles default/shop; its caches show no ConfigMap",
                "website-operator applies ConfigMap default/shop {\"data\":{\"port\":\"30000\"}} -> version ");
    }

    @Test
    void anOperatorThatLosesACrashBetweenTwoWritesIsCaught() {
        Finding finding = finding(simulation(PlantedBugs.LosesACrashBetweenTwoWrites::new)
                .step("changes the page", OperatorSimulationTest::changePage));

        assertThat(finding.details()).containsExactly("Deployment default/blog:"
                + " spec.template.metadata.annotations.page is Hello; without faults it is Welcome");
        assertThat(finding.points()).contains("crash-before-write-4", "crash-after-write-3", "lost-answer-3");
        assertThat(finding.story()).containsSubsequence(
                "120.000 s  somebody changes the page",
                "the cache of website-operator learns that Website default/blog",
                "website-operator applies ConfigMap default/blog {\"data\":{\"index.html\":\"Welcome\"}}",
                "CRASH: website-operator ends before it can apply Deployment default/blog",
                "website-operator (process 2) starts with empty memory",
                "website-operator (process 2) reconciles default/blog");
        assertThat(finding).asString().contains("To repeat only this run: .only(\"crash-before-write-4\")");
    }

    @Test
    void anOperatorThatForgetsADeletedChildIsCaught() {
        Finding finding = finding(simulation(PlantedBugs.ForgetsADeletedChild::new).without(SimulatedFault.CONFLICT,
                SimulatedFault.SERVER_ERROR, SimulatedFault.LOST_REQUEST));

        assertThat(finding.details())
                .containsExactly("Service default/blog does not exist; without faults it does");
        assertThat(finding.points()).containsExactly("deleted-child-2");
        assertThat(finding.story()).containsSubsequence("somebody deletes Service default/blog",
                "the cache of website-operator learns that Service default/blog", "was deleted",
                "website-operator reconciles default/blog");
    }

    @Test
    void anOperatorThatChangesWhatItWasHandedAndKeepsItIsCaught() {
        Finding finding = finding(simulation(PlantedBugs.MutatesWhatItWasHanded::new)
                .step("scales the website", OperatorSimulationTest::scale));

        assertThat(finding.details())
                .containsExactly("ConfigMap default/blog: data.seen-2 is not set; without faults it is yes");
        assertThat(finding.points()).contains("restart-1", "crash-before-write-2");
    }

    @Test
    void anOperatorThatChangesAnObjectOfTheCacheIsCaughtWithoutAFault() {
        Finding finding = finding(simulation(PlantedBugs.MutatesTheCache::new));

        assertThat(finding.points()).isEmpty();
        assertThat(finding.rule()).startsWith("website-operator: the operator changed an object of the cache, which"
                + " others read, too: a cached object was changed: configmaps ").contains("\"seen\":\"yes\"");
    }

    @Test
    void anOperatorThatChangesWhatItViewsIsNamed() {
        Finding finding = finding(simulation(PlantedBugs.MutatesWhatItViews::new).step("scales the website",
                OperatorSimulationTest::scale));

        assertThat(finding.rule()).contains("a cached object was changed by website-operator, which reconciled "
                + "default/blog: configmaps ");
    }

    @Test
    void anOperatorThatBlocksIsCaughtWithItsStack() {
        Finding finding = finding(simulation(PlantedBugs.Blocks::new).watchdog(Duration.ofSeconds(3))
                .step("scales the website", OperatorSimulationTest::scale));

        assertThat(finding.rule()).startsWith("website-operator: the reconciliation of default/blog blocks: it has not"
                + " returned for 3 s of real time");
        assertThat(finding.details()).anyMatch(frame -> frame.contains("CountDownLatch.await"))
                .anyMatch(frame -> frame.contains("PlantedBugs$Blocks.reconcile"));
        assertThat(finding.story()).containsSubsequence("somebody scales the website",
                "website-operator reconciles default/blog");
    }

    @Test
    void anOperatorThatDependsOnChanceIsCaught() {
        Finding finding = finding(simulation(PlantedBugs.DependsOnChance::new).only("none"));

        assertThat(finding.rule()).isEqualTo("website-operator does not do the same in two equal runs: it depends on"
                + " chance, on the system's time or on static memory");
        assertThat(finding.details()).hasSize(2).allMatch(write -> write.contains("apply configmaps blog"));
    }

    @Test
    void anOperatorThatNeverComesToRestIsCaught() {
        Finding finding = finding(simulation(PlantedBugs.NeverComesToRest::new));

        assertThat(finding.rule()).contains("nothing comes to rest after 2000 rounds. Still busy: ",
                "website-operator-0 (", "Most frequent requests: patch websites/status blog (");
        assertThat(finding.story()).contains("sentences are left out");
    }

    @Test
    void anOperatorThatFailsForEverIsCaught() {
        Finding finding = finding(simulation(PlantedBugs.Fails::new));

        assertThat(finding.rule()).contains("the reconciliation of default/blog still fails at the end",
                "the disk is full");
    }

    @Test
    void aScenarioThatCannotGoOnSaysWhy() {
        assertThatThrownBy(() -> simulation(WebsiteOperator::new)
                .step("deletes another website", user -> user.delete(Website.class, "default", "shop")).run())
                .isInstanceOf(AssertionError.class).hasMessageContaining("the scenario cannot go on")
                .hasMessageContaining("default/shop").hasMessageContaining("somebody deletes another website");
    }

    @Test
    void theSameSimulationTellsTheSameStories() {
        Supplier<String> report = () -> simulation(PlantedBugs.MutatesWhatItWasHanded::new)
                .step("scales the website", OperatorSimulationTest::scale).only("restart-1", "order-2").explore()
                .toString();

        assertThat(report.get()).contains("RESTART").isEqualTo(report.get());
    }
}

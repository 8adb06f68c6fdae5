package dev.wheelhouse.facts.generate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The generator on a hand-made folder, and on Kubernetes' own sources where {@code -Dkubernetes=FOLDER} names them. */
class GenerateFactsTest {
    private static final Path SAMPLE = Path.of("src/test/resources/facts/kubernetes");
    private static final Path COMMITTED = Path.of("src/main/resources/dev/wheelhouse/facts");

    @TempDir
    Path out;

    @Test
    void typesComeFromOpenApiAndWhatOnlyGoSaysFromTheDeclarations() throws IOException {
        GenerateFacts.write(SAMPLE, out, true);

        assertThat(Files.readAllLines(out.resolve("types.tsv"))).containsExactly(
                "type	io.k8s.api.shop.v1.Gift	object",
                "field	io.k8s.api.shop.v1.Gift	name	string	required	always",
                "type	io.k8s.api.shop.v1.Line	object",
                "field	io.k8s.api.shop.v1.Line	name	string	required	always",
                "type	io.k8s.api.shop.v1.Order	object	gvk=shop/v1 Order",
                "field	io.k8s.api.shop.v1.Order	kind	string",
                "field	io.k8s.api.shop.v1.Order	spec	io.k8s.api.shop.v1.OrderSpec	always	pb=2",
                "type	io.k8s.api.shop.v1.OrderSpec	object",
                "field	io.k8s.api.shop.v1.OrderSpec	count	integer(int32)	required	default=0	always	pb=2",
                "field	io.k8s.api.shop.v1.OrderSpec	courier	string	default=\"post\"	enum=drone,post	go=v1.Courier",
                "field	io.k8s.api.shop.v1.OrderSpec	couriers	[]string	required	list=set	always	go=v1.Courier",
                "field	io.k8s.api.shop.v1.OrderSpec	due	io.k8s.apimachinery.pkg.units.Moment	always",
                "field	io.k8s.api.shop.v1.OrderSpec	fallback	string	pointer	go=v1.Courier",
                "field	io.k8s.api.shop.v1.OrderSpec	fragile	boolean	pointer",
                "field	io.k8s.api.shop.v1.OrderSpec	gift	io.k8s.api.shop.v1.Gift	pointer	pb=3/1",
                "field	io.k8s.api.shop.v1.OrderSpec	lines	[]io.k8s.api.shop.v1.Line"
                        + "	list=map	keys=name	patch=merge	mergeKey=name",
                "field	io.k8s.api.shop.v1.OrderSpec	notes	map string	map=granular",
                "field	io.k8s.api.shop.v1.OrderSpec	placed	io.k8s.apimachinery.pkg.units.Moment",
                "field	io.k8s.api.shop.v1.OrderSpec	seal	string(byte)",
                "field	io.k8s.api.shop.v1.OrderSpec	signature	io.k8s.api.shop.v1.Gift	pointer",
                "field	io.k8s.api.shop.v1.OrderSpec	unit	string	go=units.Unit",
                "field	io.k8s.api.shop.v1.OrderSpec	urgent	boolean",
                "field	io.k8s.api.shop.v1.OrderSpec	weight	io.k8s.apimachinery.pkg.units.Weight	pointer",
                "typeAttr	io.k8s.api.shop.v1.OrderSpec	map=atomic",
                "type	io.k8s.apimachinery.pkg.units.Moment	string(date-time)",
                "type	io.k8s.apimachinery.pkg.units.Options	object",
                "field	io.k8s.apimachinery.pkg.units.Options	force	boolean",
                "type	io.k8s.apimachinery.pkg.units.Weight	string|number");
    }

    @Test
    void resourcesStandInTheOrderOfDiscoveryWithTheirSubresourcesBehindThem() throws IOException {
        GenerateFacts.write(SAMPLE, out, true);

        assertThat(Files.readAllLines(out.resolve("resources.tsv"))).containsExactly(
                "group	version	resource	kind	scope	singular	shortNames	categories	verbs",
                "core	v1	shelves	Shelf	cluster	shelf			get,list",
                "shop	v1	orders	Order	namespaced	order	o,ord	all	create,get",
                "shop	v1	orders/scale	autoscaling/v1 Scale	namespaced				get,patch");
    }

    @Test
    void descriptionsKeepTheirLinesTabsAndBackslashes() throws IOException {
        GenerateFacts.write(SAMPLE, out, true);

        assertThat(Files.readAllLines(out.resolve("descriptions.tsv"))).containsExactly(
                "io.k8s.api.shop.v1.OrderSpec	-	OrderSpec says what is wanted.\\n\\nTabs\\tand back\\\\slashes stay.",
                "io.k8s.api.shop.v1.OrderSpec	count	How many.",
                "io.k8s.api.shop.v1.OrderSpec	gift	Its wrapping.");
    }

    @Test
    void aFieldThatGoDoesNotDeclareIsRefusedByName() throws IOException {
        Path elsewhere = Files.createDirectories(out.resolve("elsewhere"));

        assertThatThrownBy(() -> TypeTable.read(SAMPLE.resolve("api/openapi-spec/v3"), new GoDeclarations(elsewhere))
                .lines()).hasMessageContaining("io.k8s.api.shop.v1.Gift.name");
    }

    @Test
    void theCommittedFactsAreThoseOfKubernetesSources() throws IOException {
        String kubernetes = System.getProperty("kubernetes", "");
        if (kubernetes.isEmpty()) {
            System.out.println("SKIPPED, because -Dkubernetes=FOLDER names no folder: no comparison with Kubernetes");
            throw new TestAbortedException("-Dkubernetes=FOLDER names no folder");
        }
        GenerateFacts.write(Path.of(kubernetes), out, false);

        for (String table : List.of("types.tsv", "resources.tsv")) {
            assertThat(out.resolve(table)).hasSameTextualContentAs(COMMITTED.resolve(table));
        }
    }
}

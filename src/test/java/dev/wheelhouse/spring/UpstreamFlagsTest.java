package dev.wheelhouse.spring;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import dev.wheelhouse.Kubectl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The flags of kube-controller-manager: {@code -Dflags.docs=write} writes their table into the page. */
class UpstreamFlagsTest {
    private static final Path PAGE = Path.of("docs/taking-over.md");
    private static final String BEGIN = "<!-- The table is made from upstream-flags.tsv. -->\n";
    private static final Pattern FLAG = Pattern.compile("(?m)^ +(?:-\\w, )?--([a-z0-9-]+)");

    @Test
    void theTableSaysOfEachFlagWhetherAnOptionHasItsName() {
        UpstreamFlags.all().forEach((flag, meaning) -> assertThat(meaning.equals("wheelhouse." + flag)).as(flag)
                .isEqualTo(UnknownOptions.known().contains("wheelhouse." + flag)));
    }

    @Test
    void theTableHasEveryFlagOfTheRealOne() throws Exception {
        Path program = Kubectl.onPath("kube-controller-manager").orElseThrow(() -> {
            System.out.println("SKIPPED, because kube-controller-manager is not on the PATH: no look at its flags");
            return new TestAbortedException("kube-controller-manager is not on the PATH");
        });
        String help = new String(new ProcessBuilder(program.toString(), "--help").start().getInputStream()
                .readAllBytes());
        Set<String> flags = FLAG.matcher(help).results().map(found -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(UpstreamFlags.all().keySet()).isEqualTo(flags);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            --cluster-cidr=10.0.0.0/8 \
                | --cluster-cidr of kube-controller-manager is --wheelhouse.cluster-cidr here
            --secure-port=1 | --secure-port of kube-controller-manager is --server.port here
            --master=x \
                | --master of kube-controller-manager does not apply here. The kubeconfig names the server.
            --mastre=x | --help lists the options
            """)
    void aFlagOnTheCommandLineSaysWhatToWriteInstead(String given, String instead) {
        assertThat(CommandLine.check(given).orElseThrow().text())
                .endsWith("there is no option " + given.split("=")[0] + ": " + instead);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|',
            textBlock = """
                    feature-gates | --feature-gates of kube-controller-manager does not apply here. All gates \
                    have the defaults of the release; what they turn off is not built.
                    bind-address | --bind-address of kube-controller-manager is --server.address here
                    bind-adress | remove it, or correct its name
                    apiserver.prot | remove it, or correct its name
                    mode.further | remove it, or correct its name
                    """)
    void anUnknownOptionIsRefusedWithTheReason(String name, String reason) {
        assertThatThrownBy(() -> UnknownOptions.refuse(environment("wheelhouse." + name), false))
                .isInstanceOf(BadOption.class).hasMessage("there is no option wheelhouse." + name + ": " + reason);
    }

    @ParameterizedTest
    @CsvSource({"wheelhouse.workers-of.job", "wheelhouse.controllers[0]", "wheelhouse.clusterCidr",
            "wheelhouse.apiserver.limits.requests", "wheel.house"})
    void knownOptionsAndThoseOfOthersAreLeftAlone(String name) {
        assertThatCode(() -> UnknownOptions.refuse(environment(name), true)).doesNotThrowAnyException();
    }

    private static StandardEnvironment environment(String option) {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().addFirst(new MapPropertySource("given", Map.of(option, "1")));
        return environment;
    }

    @Test
    void thePageHasTheTable() throws Exception {
        String page = Files.readString(PAGE);
        StringBuilder made = new StringBuilder(page.substring(0, page.indexOf(BEGIN) + BEGIN.length()))
                .append("\n| flag | here |\n|---|---|\n");
        UpstreamFlags.all().forEach((flag, meaning) -> made.append("| `--").append(flag).append("` | ")
                .append(UpstreamFlags.applies(meaning) ? "`--" + meaning + "`" : meaning).append(" |\n"));
        if ("write".equals(System.getProperty("flags.docs"))) {
            Files.writeString(PAGE, made);
        }
        assertThat(page).as("the table is stale: run mvn test -Dtest=UpstreamFlagsTest -Dflags.docs=write")
                .isEqualTo(made.toString());
    }
}

package dev.wheelhouse.runtime;

import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class DidYouMeanTest {
    private static final List<String> KNOWN = List.of("wheelhouse.nodes.count", "wheelhouse.node.name", "server.port",
            "wheelhouse.apiserver.port", "deployment", "embedded");

    @ParameterizedTest(name = "{0}")
    @CsvSource({"wheelhouse.nodes.cuont, wheelhouse.nodes.count", "wheelhouse.nodes.cout, wheelhouse.nodes.count",
            "wheelhouse.node.count, wheelhouse.nodes.count", "nodes.count, wheelhouse.nodes.count", "port, server.port",
            "deploymnet, deployment", "Deployment, deployment", "embeded, embedded"})
    void aWordWithFewWrongLettersOrWithoutItsPrefixIsFound(String typed, String meant) {
        assertThat(DidYouMean.ask(typed, KNOWN)).isEqualTo("did you mean " + meant + "? ");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"x", "clustered", "wheelhouse.pods.limit", "count.nodes"})
    void aWordThatIsUnlikeAllIsNotReplacedByAnother(String typed) {
        assertThat(DidYouMean.ask(typed, KNOWN)).isEmpty();
    }
}

package dev.wheelhouse;

import java.nio.file.Path;

import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The sentences by which the service refuses options. {@code ProcessTest} holds that the process ends then. */
@ExtendWith(OutputCaptureExtension.class)
@Isolated
class RefusedOptionsTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            --wheelhouse.mode=embeded \
                | wheelhouse.mode is "embeded": did you mean embedded? it must
            --wheelhouse.mode=clustered \
                | wheelhouse.mode is "clustered": it must be one of auto, embedded, kubeconfig
            --wheelhouse.nodes.memory=lots                   | wheelhouse.nodes.memory is "lots": it must be a quantity
            --wheelhouse.apiserver.address=192.0.2.1 \
                | wheelhouse.apiserver.address is 192.0.2.1, which others can reach, so it takes TLS: add \
            wheelhouse.apiserver.tls-self-signed=true
            --wheelhouse.apiserver.tls-cert-file=a.crt \
                | wheelhouse.apiserver.tls-cert-file is set without wheelhouse.apiserver.tls-private-key-file
            --wheelhouse.controllers=deploymnet \
                | there is no controller "deploymnet"; did you mean deployment? write
            --wheelhouse.workers-of.deploymnet=3 \
                | wheelhouse.workers-of.deploymnet: there is no controller "deploymnet"; did you mean deployment? there
            --wheelhouse.kubeconfig=no/such/file             | there is no such file
            --wheelhouse.node.config=no/such/file \
                | wheelhouse.node.config: no/such/file cannot be read: there is no such file
            --server.address=192.0.2.1 \
                | cannot be served: Cannot assign requested address; correct the options server.*
            """)
    void aBadOptionIsOneClearSentence(String option, String sentence, @TempDir Path directory, CapturedOutput output) {
        assertThatThrownBy(() -> RunningService.run(new SpringApplicationBuilder(WheelhouseApplication.class),
                "--server.port=0", "--wheelhouse.apiserver.port=0",
                "--wheelhouse.apiserver.kubeconfig=" + directory.resolve("wheelhouse.kubeconfig"), option).close())
                .isInstanceOf(RuntimeException.class);
        assertThat(output.getAll().lines().filter(line -> line.startsWith("wheelhouse: cannot start: ")))
                .singleElement().asString().contains(sentence);
        assertThat(output.getAll()).doesNotContain("\tat ", "Tomcat");
    }
}

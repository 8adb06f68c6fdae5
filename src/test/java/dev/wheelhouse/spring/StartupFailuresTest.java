package dev.wheelhouse.spring;

import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

class StartupFailuresTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            manage=never \
                | manage is "never": it must be one of auto, takeover, observe
            workers=many                    | workers is "many": it must be a whole number
            scheduler=perhaps               | scheduler is "perhaps": it must be true or false
            management.step-deadline=soon \
                | management.step-deadline is "soon": it must be a time, such as 500ms, 15s or 5m
            management.step-deadline=0s \
                | management.step-deadline is 0.0 s: it must be longer than 0 s
            apiserver.limits.body-size=big \
                | apiserver.limits.body-size is "big": it must be a size, such as 64KB or 3MB
            webhooks.port=-1                 | webhooks.port is -1: it must be a port from 0 to 65535
            horizontal-pod-autoscaler-tolerance=x \
                | horizontal-pod-autoscaler-tolerance is "x": it must be a number
            """)
    void aValueThatIsNotAllowedIsASentenceWithTheOptionAndTheAllowedValues(String option, String sentence) {
        String[] parts = option.split("=", 2);
        Binder binder = new Binder(new MapConfigurationPropertySource(Map.of("wheelhouse." + parts[0], parts[1])));
        Throwable failure = catchThrowable(() -> {
            binder.bind("wheelhouse", WheelhouseProperties.class);
            binder.bind("wheelhouse", ControllerManagerFlags.class);
        });
        assertThat(new StartupFailures(null).analyze(failure).getDescription()).isEqualTo("wheelhouse." + sentence);
    }
}

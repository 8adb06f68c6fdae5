package dev.wheelhouse;

import java.nio.charset.StandardCharsets;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskExecutionAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.task.TaskExecutorMetricsAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ScheduledTasksObservationAutoConfiguration;
import org.springframework.boot.servlet.autoconfigure.MultipartAutoConfiguration;
import org.springframework.boot.tomcat.autoconfigure.metrics.TomcatMetricsAutoConfiguration;
import org.springframework.context.ApplicationListener;

import dev.wheelhouse.runtime.OutOfMemory;
import dev.wheelhouse.spring.CommandLine;
import dev.wheelhouse.spring.LeadLostEvent;
import dev.wheelhouse.spring.ShutdownMessage;
import dev.wheelhouse.spring.StandaloneService;

/**
 * The service, and the only class that ends the process. A failed start prints the reason in one sentence; it and a
 * lost lead end the process with exit code 1, a lack of memory ends it with 3.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
// Jackson's configuration would search all classes of this package and its subpackages for annotations at each start.
// Tomcat's metrics count sessions, of which there are none, and make the JVM describe all commands of jcmd. The service
// has no use for the other ones.
@EnableAutoConfiguration(exclude = {JacksonAutoConfiguration.class, TomcatMetricsAutoConfiguration.class,
        AopAutoConfiguration.class, MultipartAutoConfiguration.class, ScheduledTasksObservationAutoConfiguration.class,
        TaskExecutionAutoConfiguration.class, TaskExecutorMetricsAutoConfiguration.class,
        TaskSchedulingAutoConfiguration.class})
@StandaloneService
public class WheelhouseApplication {
    private static final byte[] WITHOUT_MEMORY = ("wheelhouse: ended, because memory ran out: give it a larger heap "
            + "with -Xmx, or less to do\n").getBytes(StandardCharsets.UTF_8);

    public static void main(String[] args) {
        OutOfMemory.ends(WheelhouseApplication::endWithoutMemory);
        CommandLine.check(args).ifPresent(WheelhouseApplication::sayAndExit);
        SpringApplication application = new SpringApplication(WheelhouseApplication.class);
        application.addListeners(new EndWithTheLead());
        try {
            SpringApplication.getShutdownHandlers().add(application.run(args).getBean(ShutdownMessage.class));
        } catch (RuntimeException e) {
            OutOfMemory.check(e);
            // Spring Boot's failure reporter has printed the reason.
            System.exit(1);
        }
    }

    private static final class EndWithTheLead implements ApplicationListener<LeadLostEvent> {
        @Override
        public void onApplicationEvent(LeadLostEvent event) {
            Thread.ofPlatform().name("end").start(() -> System.exit(1));
        }
    }

    private static void endWithoutMemory() {
        try {
            System.err.write(WITHOUT_MEMORY, 0, WITHOUT_MEMORY.length);
            System.err.flush();
        } finally {
            // The code of a JVM that -XX:+ExitOnOutOfMemoryError ends.
            Runtime.getRuntime().halt(3);
        }
    }

    private static void sayAndExit(CommandLine.Answer answer) {
        (answer.exitCode() == 0 ? System.out : System.err).println(answer.text());
        System.exit(answer.exitCode());
    }
}

import Glibc
import Testing

@testable import DesktopBus

@Suite struct BusErrorTests {
    @Test("The description is the message, then the name of the error")
    func errorDescriptionIsTheMessageThenTheName() {
        #expect("\(BusError(BusError.failed, "no bus"))" == "no bus (org.freedesktop.DBus.Error.Failed)")
    }

    @Test("A result that is not negative is returned", arguments: [0, 1, Int32.max])
    func nonNegativeResultIsReturned(_ result: Int32) throws {
        #expect(try busCall("call", result) == result)
    }

    @Test("A negative result becomes an error that names the call and the reason")
    func negativeResultBecomesAnErrorWithCallAndReason() {
        let error = #expect(throws: BusError.self) { try busCall("sd_bus_start", -ENOENT) }
        #expect(error?.name == BusError.failed)
        #expect(error?.message.contains("sd_bus_start") == true)
        #expect(error?.message.contains("No such file or directory") == true)
    }

    @Test("The smallest negative result becomes an error without overflow")
    func smallestNegativeResultDoesNotOverflow() {
        #expect(throws: BusError.self) { try busCall("call", .min) }
    }
}

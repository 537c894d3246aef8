import Testing
import TransferPolicy
import WireFormat

@testable import BackgroundProtocol

@Suite struct TransferOrderTests {
    /// Returns the sample order after a change.
    private func order(_ change: (inout TransferOrder) -> Void) -> TransferOrder {
        var order = EngineMessageSamples.order
        change(&order)
        return order
    }

    @Test func theSampleOrderIsValid() { #expect(EngineMessageSamples.order.fault == nil) }

    @Test func anOrderWithoutAPartFileIsRefused() {
        #expect(order { $0.descriptors = [.upload] }.fault == "an order has no part file")
    }

    @Test(arguments: ["", String(repeating: "a", count: EngineLimits.addressBytes + 1), "http://a/\r\nX: y", "a\u{7F}"])
    func invalidAddressesAreRefused(_ address: String) {
        #expect(order { $0.request.address = address }.fault != nil)
    }

    @Test(arguments: ["", "GET /", "G\nET", String(repeating: "A", count: 33)])
    func invalidMethodsAreRefused(_ method: String) {
        #expect(order { $0.request.method = method }.fault == "the method is not valid")
    }

    @Test(arguments: ["a\r\nb", "a\nb", "a\0b", "\u{1}", "\u{7F}"])
    func fieldsWithControlCharactersAreRefused(_ value: String) {
        #expect(order { $0.request.fields = [HeaderField("X", value)] }.fault != nil)
    }

    @Test(arguments: ["", "a b", "a:", "ä", "a\r"]) func fieldsWithInvalidNamesAreRefused(_ name: String) {
        #expect(order { $0.request.fields = [HeaderField(name, "v")] }.fault == "a header field has no valid name")
    }

    @Test func theNumberOfFieldsIsLimited() {
        let field = HeaderField("X", "v")
        #expect(order { $0.request.fields = Array(repeating: field, count: 128) }.fault == nil)
        #expect(order { $0.request.fields = Array(repeating: field, count: 129) }.fault != nil)
    }

    @Test func theSizeOfAllFieldsIsLimited() {
        func isAccepted(_ count: Int) -> Bool {
            order { $0.request.fields = [HeaderField("X", String(repeating: "v", count: count - 1))] }.fault == nil
        }
        #expect(isAccepted(EngineLimits.fieldBytes))
        #expect(!isAccepted(EngineLimits.fieldBytes + 1))
    }

    @Test func theLargestOrderFitsIntoAMessage() throws {
        let largest = order {
            $0.request.address = String(repeating: "a", count: EngineLimits.addressBytes)
            let valueBytes = EngineLimits.fieldBytes / EngineLimits.fieldCount - 10
            $0.request.fields = (0..<EngineLimits.fieldCount).map { _ in
                HeaderField(String(repeating: "N", count: 10), String(repeating: "v", count: valueBytes))
            }
            let value = String(repeating: "e", count: EngineLimits.valueBytes)
            $0.held.validators = ContentValidators(entityTag: value, lastModified: value, date: value)
            $0.held.mediaType = value
        }
        #expect(try EngineCommand.start(largest).encoded().count <= EngineLimits.messageBytes)
    }

    @Test func theLargestResponseFitsIntoAMessage() {
        var response = EngineMessageSamples.response
        response.address = String(repeating: "a", count: EngineLimits.addressBytes)
        response.permanentAddress = response.address
        let value = String(repeating: "e", count: EngineLimits.valueBytes)
        response.validators = ContentValidators(entityTag: value, lastModified: value, date: value)
        (response.mediaType, response.suggestedName) = (value, value)
        response.fields = (0..<EngineLimits.fieldCount).map { _ in
            HeaderField("N", String(repeating: "v", count: EngineLimits.fieldBytes / EngineLimits.fieldCount - 1))
        }
        #expect(EngineEvent.response(transfer: 1, response).encoded.count <= EngineLimits.messageBytes)
    }

    @Test func negativeLengthsAreRefused() {
        #expect(order { $0.held.length = -1 }.fault == "the length of a part is negative")
        #expect(order { $0.limits.contentLength = -1 }.fault == "the limit of the length is negative")
    }

    @Test func aPartBeyondItsContentIsRefused() {
        #expect(order { ($0.held.length, $0.held.total) = (11, 10) }.fault == "a part is longer than its content")
        #expect(order { ($0.held.length, $0.held.total) = (10, 10) }.fault == nil)
    }

    @Test func overlongValidatorsAreRefused() {
        let value = String(repeating: "e", count: EngineLimits.valueBytes + 1)
        #expect(order { $0.held.validators.entityTag = value }.fault == "a validator is too long")
    }

    @Test func validatorsWithLineBreaksAreRefused() {
        #expect(order { $0.held.validators.entityTag = "\"a\"\r\nX: y" }.fault != nil)
    }

    @Test func anInvalidOrderIsNotEncoded() {
        let invalidOrder = order { $0.held.length = -1 }
        #expect(throws: MalformedMessage("the length of a part is negative")) {
            try EngineCommand.start(invalidOrder).encoded()
        }
    }

    @Test func anInvalidOrderIsNotDecoded() {
        var writer = MessageWriter()
        writer.write(UInt8(2))
        order { $0.held.length = -1 }.write(to: &writer)
        #expect(throws: MalformedMessage("the length of a part is negative")) {
            try EngineCommand(decoding: writer.bytes)
        }
    }

    @Test(arguments: [8, 255] as [UInt8]) func unknownQuirksAreRefused(_ quirks: UInt8) {
        var writer = MessageWriter()
        writer.write(UInt8(11))
        writer.write("host")
        writer.write(quirks)
        #expect((try? EngineEvent(decoding: writer.bytes)) == nil)
    }

    @Test(arguments: [0, 199, 600, .max] as [UInt16]) func responsesWithoutAFinalStatusAreRefused(_ status: UInt16) {
        var response = EngineMessageSamples.response
        response.status = status
        #expect((try? EngineEvent(decoding: EngineEvent.response(transfer: 1, response).encoded)) == nil)
    }
}

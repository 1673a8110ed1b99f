-- Wireshark and tshark read RoVegas's IPv4 option: kind, length, AQT and AQT-Echo, 24 bits of microseconds each.
-- Once: tshark -X lua_script:tools/wireshark/aqt.lua -r FILE. For good: copy it into Wireshark's folder of Lua plugins.

local KIND, LENGTH, SATURATED = 0x9e, 8, 0xffffff

local aqt = Proto("aqt", "RoVegas accumulated queueing time")
local kind = ProtoField.uint8("aqt.kind", "Kind", base.HEX)
local length = ProtoField.uint8("aqt.length", "Length")
local queued = ProtoField.uint24("aqt.queued_us", "Queued on the way so far (us)")
local echo = ProtoField.uint24("aqt.echo_us", "Echo: the newest data packet had queued (us)")
local malformed = ProtoExpert.new("aqt.malformed", "AQT option of another length than 8", expert.group.MALFORMED,
    expert.severity.ERROR)
local saturated = ProtoExpert.new("aqt.saturated", "Queueing time at the field's end: it was this or longer",
    expert.group.SEQUENCE, expert.severity.NOTE)
aqt.fields = { kind, length, queued, echo }
aqt.experts = { malformed, saturated }

local function add_time(tree, field, bytes)
    local item = tree:add(field, bytes)
    if bytes:uint() == SATURATED then
        item:add_proto_expert_info(saturated)
    end
end

function aqt.dissector(option, _, parent)
    local tree = parent:add(aqt, option())
    tree:add(kind, option(0, 1))
    if option:len() < LENGTH or option(1, 1):uint() ~= LENGTH then
        tree:add_proto_expert_info(malformed)
        return option:len()
    end
    tree:add(length, option(1, 1))
    add_time(tree, queued, option(2, 3))
    add_time(tree, echo, option(5, 3))
    tree:append_text(string.format(": %d us, echo %d us", option(2, 3):uint(), option(5, 3):uint()))
    return LENGTH
end

DissectorTable.get("ip.option"):add(KIND, aqt)

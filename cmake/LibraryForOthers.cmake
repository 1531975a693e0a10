# sc_library_for_others(NAME name FOLDER folder MAP map): lib<name>.so and lib<name>.a of everything that a folder
# needs, for programs of others. Both give the names of the map and no others. Sets <name>_needed, the flags that a
# program needs which links the static one. They are the component <name> of what is installed.
#   SHARED_WITH folder...  that are all in the shared library, and can give names of the map to others
#   ABI_VERSION number     of the shared library
#   UNUSED flag...         that folders below need, but not for what this library uses of them
find_program(SC_LD NAMES ld.bfd ld REQUIRED)

# sc_collect(target ours others): all that a library of ours is made of, and what that needs of others.
function(sc_collect target ours_out others_out)
  set(ours ${${ours_out}} ${target})
  set(others ${${others_out}})
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(NOT link OR link STREQUAL "sc_options" OR link IN_LIST ours OR link IN_LIST others)
      continue()
    elseif(link MATCHES "^sc_")
      sc_collect(${link} ours others)
    else()
      list(APPEND others ${link})
    endif()
  endforeach()
  set(${ours_out} ${ours} PARENT_SCOPE)
  set(${others_out} ${others} PARENT_SCOPE)
endfunction()

# sc_link_flag(out link): -lNAME of a target, a library's path or its plain name; nothing for what has headers alone.
function(sc_link_flag out link)
  set(location ${link})
  if(TARGET ${link})
    get_target_property(type ${link} TYPE)
    set(location "")
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      get_target_property(location ${link} LOCATION)
    endif()
  endif()
  get_filename_component(name "${location}" NAME)
  string(REGEX REPLACE "^lib(.*)\\.(so|a)(\\..*)?$" "-l\\1" flag "${name}")
  if(flag MATCHES "^[a-z]+$")
    set(flag "-l${flag}")
  endif()
  set(${out} ${flag} PARENT_SCOPE)
endfunction()

function(sc_library_for_others)
  cmake_parse_arguments(ARG "" "NAME;FOLDER;MAP;ABI_VERSION" "SHARED_WITH;UNUSED" ${ARGN})
  sc_target_of(root ${ARG_FOLDER})
  sc_collect(${root} ours others)
  set(archives "")
  foreach(one IN LISTS ours)
    get_target_property(type ${one} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY" AND NOT one STREQUAL root)
      list(APPEND archives $<TARGET_FILE:${one}>)
    endif()
  endforeach()
  set(needed "")
  foreach(one IN LISTS others)
    sc_link_flag(flag ${one})
    list(APPEND needed ${flag})
  endforeach()
  list(REMOVE_DUPLICATES needed)
  if(ARG_UNUSED)
    list(REMOVE_ITEM needed ${ARG_UNUSED})
  endif()
  set(${ARG_NAME}_needed ${needed} -lstdc++ -lm -lpthread PARENT_SCOPE)

  set(objects $<TARGET_OBJECTS:${root}>)
  foreach(folder IN LISTS ARG_SHARED_WITH)
    sc_target_of(target ${folder})
    if(TARGET ${target})
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endif()
  endforeach()
  add_library(${ARG_NAME}_shared SHARED ${objects})
  target_link_libraries(${ARG_NAME}_shared PRIVATE ${root})
  target_link_options(${ARG_NAME}_shared PRIVATE -Wl,--version-script=${ARG_MAP} -Wl,--exclude-libs,ALL
    -Wl,--no-undefined -Wl,--as-needed)
  set_target_properties(${ARG_NAME}_shared PROPERTIES OUTPUT_NAME ${ARG_NAME} LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${ARG_ABI_VERSION} LINK_DEPENDS ${ARG_MAP}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

  # One object in which all names but those of the map are local: a program that embeds it may have its own LLVM, of any
  # version. Groups are dissolved, or the linker would drop those that the program has too, and with them local names.
  file(STRINGS ${ARG_MAP} exported REGEX "^ +[a-z_0-9*]+;$")
  list(REMOVE_ITEM exported "    *;")
  list(TRANSFORM exported REPLACE "[ ;]" "")
  set(keep ${CMAKE_CURRENT_BINARY_DIR}/${ARG_NAME}_symbols.txt)
  string(REPLACE ";" "\n" exported_lines "${exported}")
  file(GENERATE OUTPUT ${keep} CONTENT "${exported_lines}\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARG_MAP})
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${ARG_NAME}.o)
  set(static ${CMAKE_BINARY_DIR}/lib${ARG_NAME}.a)
  add_custom_command(OUTPUT ${static}
    COMMAND ${SC_LD} -r --force-group-allocation -o ${object} $<TARGET_OBJECTS:${root}>
      --start-group ${archives} --end-group
    COMMAND ${SC_OBJCOPY} --wildcard --keep-global-symbols=${keep} ${object}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${static}
    COMMAND ${CMAKE_AR} qcs ${static} ${object}
    COMMAND ${CMAKE_COMMAND} -E rm ${object}
    DEPENDS ${root} $<TARGET_OBJECTS:${root}> ${archives} ${keep}
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(${ARG_NAME}_static ALL DEPENDS ${static})
  install(TARGETS ${ARG_NAME}_shared COMPONENT ${ARG_NAME})
  install(FILES ${static} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${ARG_NAME})
endfunction()
